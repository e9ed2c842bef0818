// The feed while one reads: looks for newer notes now and then, and is refreshed by pulling it down.
const EVERY = 20_000; // milliseconds between two looks, while the page is seen
const FAR = 140; // pixels a finger goes until letting go refreshes
const MAX_PULL = 70; // pixels the sign follows it

let looked = Date.now();

/** Asks for newer notes; the server answers with the pill, or with nothing when it stands there already. */
function look() {
  const place = document.getElementById("feed-new");
  if (!place || document.hidden) return;
  looked = Date.now();
  place.dispatchEvent(new CustomEvent("feed:look"));
}

function show(sign, distance) {
  const ready = distance >= FAR;
  sign.hidden = distance <= 0;
  sign.style.setProperty("--pulled", Math.min(MAX_PULL, distance / 2));
  sign.toggleAttribute("data-ready", ready);
  for (const words of sign.querySelectorAll("[data-when]")) words.hidden = (words.dataset.when === "ready") !== ready;
}

function pulls(feed) {
  const sign = feed.querySelector("[data-feed-pull]");
  let from = null;
  let distance = 0;
  feed.addEventListener("touchstart", ({ touches }) => {
    from = window.scrollY <= 0 && touches.length === 1 ? touches[0].clientY : null;
  }, { passive: true });
  feed.addEventListener("touchmove", ({ touches }) => {
    if (from === null) return;
    distance = window.scrollY <= 0 ? touches[0].clientY - from : 0;
    show(sign, distance);
  }, { passive: true });
  const end = ({ type }) => {
    if (from !== null && type === "touchend" && distance >= FAR) feed.querySelector("[data-feed-refresh]").click();
    from = null;
    distance = 0;
    show(sign, 0);
  };
  for (const name of ["touchend", "touchcancel"]) feed.addEventListener(name, end);
}

export function start(feed) {
  pulls(feed);
  setInterval(look, EVERY);
  // Who comes back to the page wants to know at once.
  document.addEventListener("visibilitychange", () => Date.now() - looked > EVERY && look());
  const list = feed.querySelector("#feed");
  let pressed = false;
  list.addEventListener("htmx:beforeSwap", ({ target }) => (pressed = target === list && list.contains(document.activeElement)));
  // The pressed pill is gone: go on reading from the top of the list.
  list.addEventListener("htmx:afterSwap", ({ target }) => target === list && pressed && list.focus({ preventScroll: true }));
}
