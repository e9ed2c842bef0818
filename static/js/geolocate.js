// <form data-geolocate> with hidden inputs named lat and lng, a [data-geolocate-button] and a [data-geolocate-status]
// that carries the words: data-finding, data-denied, data-unavailable, data-timeout. A city field is the way round it.
const ASK = { enableHighAccuracy: false, timeout: 10000, maximumAge: 300000 };
const WORDS = { 1: "denied", 2: "unavailable", 3: "timeout" };

function say(status, name, tone = "") {
  if (!status) return;
  status.dataset.tone = tone;
  status.textContent = status.dataset[name] ?? "";
}

function found(form, coords) {
  form.elements.lat.value = coords.latitude.toFixed(5);
  form.elements.lng.value = coords.longitude.toFixed(5);
  form.requestSubmit();
}

export function start(form) {
  const button = form.querySelector("[data-geolocate-button]");
  const status = form.querySelector("[data-geolocate-status]");
  if (!button) return;
  if (!("geolocation" in navigator)) return say(status, "unavailable", "error");
  button.hidden = false;
  form.querySelector("[data-geolocate-city]")?.addEventListener("change", () => {
    form.elements.lat.value = form.elements.lng.value = "";
    form.requestSubmit();
  });
  button.addEventListener("click", () => {
    button.setAttribute("aria-busy", "true");
    say(status, "finding");
    navigator.geolocation.getCurrentPosition(
      (position) => found(form, position.coords),
      (error) => {
        button.removeAttribute("aria-busy");
        say(status, WORDS[error.code], "error");
      },
      ASK,
    );
  });
}
