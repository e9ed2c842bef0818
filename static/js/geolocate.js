// <form data-geolocate> with a [data-geolocate-button] and a [data-geolocate-status] that carries the words:
// data-finding, data-denied, data-unavailable, data-timeout. A city field is the way round it. The position goes into a
// cookie, to about 100 m, and never into an address: those are shared, kept in histories and written into logs.
import { remember } from "./place.js";

const ASK = { enableHighAccuracy: false, timeout: 10000, maximumAge: 300000 };
const WORDS = { 1: "denied", 2: "unavailable", 3: "timeout" };

function say(status, name, tone = "") {
  if (!status) return;
  status.dataset.tone = tone;
  status.textContent = status.dataset[name] ?? "";
}

function found(form, { latitude, longitude }) {
  remember(`${latitude.toFixed(3)},${longitude.toFixed(3)}`);
  const choices = new URLSearchParams(new FormData(form));
  choices.delete("city");
  const here = new URL(form.action);
  here.search = choices;
  location.assign(here);
}

export function start(form) {
  const button = form.querySelector("[data-geolocate-button]");
  const status = form.querySelector("[data-geolocate-status]");
  if (!button) return;
  if (!("geolocation" in navigator)) return say(status, "unavailable", "error");
  form.querySelector("[data-geolocate-city]")?.addEventListener("change", () => form.requestSubmit());
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
