// <div data-directions>: the map apps that show the way to a shop. The one that was pressed last is remembered in this
// browser: its link stands first here and on each other shop's page, and "Directions" ([data-directions-go]) opens it.
const KEY = "savor-map-app";

function recall() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage may be forbidden: then each time is the first
  }
}

function remember(app) {
  try {
    localStorage.setItem(KEY, app);
  } catch {
    // As above.
  }
}

function show(place) {
  const link = [...place.querySelectorAll("[data-map-app]")].find((one) => one.dataset.mapApp === recall());
  if (!link) return;
  const chosen = place.querySelector("[data-directions-chosen]");
  chosen.href = link.href;
  chosen.querySelector("span").textContent = link.dataset.opens;
  chosen.hidden = false;
  for (const go of document.querySelectorAll("[data-directions-go]")) go.href = link.href;
}

export function start(place) {
  const choice = place.querySelector("details");
  place.addEventListener("click", ({ target }) => {
    const link = target.closest("[data-map-app]");
    if (!link) return;
    remember(link.dataset.mapApp);
    show(place);
  });
  for (const go of document.querySelectorAll("[data-directions-go]")) {
    go.addEventListener("click", () => (choice.open ||= go.hash === "#directions"));
  }
  show(place);
}
