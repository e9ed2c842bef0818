// Registers the service worker, which keeps the site's own page for when the network is away (service_worker.js), and tells
// it who reads: at another person's log-in, and after a log-out, what it kept of the one before goes.
import * as personal from "./personal.js";

const CHANGE_PAUSE = 2000; // milliseconds after a change, before the page is fetched anew
const ORDER = "[data-order-state]";
const language = document.documentElement.lang;
let reader; // the id of who reads, 0 for a visitor, undefined until it is known
let timer;

async function report(isChanged = false) {
  if (reader === undefined) return;
  const { active } = await navigator.serviceWorker.ready;
  active.postMessage({ reader, language, isChanged });
}

/** Something of the reader's may have changed: a coupon was paid, a shop saved. */
function reportChange() {
  clearTimeout(timer);
  timer = setTimeout(report, CHANGE_PAUSE, true);
}

function listen() {
  personal.listen(({ person }) => {
    const known = reader;
    reader = person?.id ?? 0;
    if (reader !== known) report(document.querySelector(ORDER) !== null);
  });
  document.body.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.successful && detail.requestConfig.verb !== "get") reportChange();
  });
  document.body.addEventListener("htmx:load", ({ detail }) => {
    if (detail.elt.matches(ORDER)) reportChange();
  });
}

try {
  await navigator.serviceWorker.register(document.body.dataset.worker, { updateViaCache: "none" });
  listen();
} catch {
  // The browser or its owner forbids it: the site works as without.
}
