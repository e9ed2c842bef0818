// The grab panel. The server renders one state; this moves it forward and never back:
//   soon -> open (its countdown ends) -> queueing (the form is sent) -> whatever the server answers; -> ended.
// Every state's words are already in the page as [data-when]; only one of them is shown.
import { announce } from "./announce.js";

const MAY_FOLLOW = {
  soon: ["open", "ended"],
  login: ["ended"],
  open: ["queueing", "retry", "ended"],
  queueing: ["retry", "ended"],
  retry: ["queueing", "ended"],
};

function move(sale, state) {
  if (!MAY_FOLLOW[sale.dataset.state]?.includes(state)) return;
  sale.dataset.state = state;
  let shown;
  for (const panel of sale.querySelectorAll("[data-when]")) {
    panel.hidden = !panel.dataset.when.split(" ").includes(state);
    if (!panel.hidden && panel.dataset.say) shown = panel;
  }
  announce(shown?.dataset.say);
  if (state === "open" || state === "retry") shown?.querySelector("button")?.focus({ preventScroll: true });
}

// Tries the browser makes by itself after a refusal, per page; then the person decides.
const BY_ITSELF = 5;
let tries = 0;

/** Keeps the retry button shut for the seconds asked for, and a little more at random: not all come back at once. */
function rest(sale, asked) {
  const form = sale.querySelector('[data-when~="retry"] form');
  const button = form?.querySelector("button");
  if (!button) return;
  button.disabled = true;
  const again = () => {
    button.disabled = false;
    if (!sale.isConnected || sale.dataset.state !== "retry") return;
    if (tries++ < BY_ITSELF) form.requestSubmit();
  };
  setTimeout(again, (asked + Math.random()) * 1000);
}

function retry(sale, xhr) {
  move(sale, "retry");
  const asked = Number(xhr?.getResponseHeader("Retry-After"));
  rest(sale, asked > 0 ? asked : 1);
}

/** An answer for the stock bar must not take away a form whose own answer is on its way. */
function keepForm(sale, event) {
  const ours = event.detail.requestConfig?.elt.matches("form");
  if (!ours && sale.dataset.state === "queueing") event.detail.shouldSwap = false;
}

export function start(sale) {
  // Only a refusal of the person's own request says when to come back; a page that was just opened buys nothing by itself.
  if (sale.dataset.retryAfter) rest(sale, Number(sale.dataset.retryAfter));
  sale.addEventListener("countdown:done", (event) => move(sale, event.target.dataset.then));
  sale.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target.matches("form")) move(sale, "queueing");
  });
  sale.addEventListener("htmx:beforeSwap", (event) => keepForm(sale, event));
  // What the stock bar of a panel asked that another has replaced meanwhile is news no more.
  sale.addEventListener("htmx:beforeOnLoad", (event) => sale.isConnected || event.preventDefault());
  for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
    sale.addEventListener(name, (event) => event.target.matches("form") && retry(sale, event.detail.xhr));
  }
}
