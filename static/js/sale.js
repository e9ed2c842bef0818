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

/** Keeps the retry button shut for the seconds the server asked for, and a little more at random: not all come back at once. */
function rest(sale, asked) {
  const button = sale.querySelector('[data-when~="retry"] button');
  if (!button) return;
  const seconds = Number.isFinite(asked) && asked > 0 ? asked : 1;
  button.disabled = true;
  setTimeout(() => (button.disabled = false), (seconds + Math.random()) * 1000);
}

function retry(sale, xhr) {
  move(sale, "retry");
  rest(sale, Number(xhr?.getResponseHeader("Retry-After")));
}

export function start(sale) {
  if (sale.dataset.state === "retry") rest(sale, Number(sale.dataset.retryAfter));
  sale.addEventListener("countdown:done", (event) => move(sale, event.target.dataset.then));
  sale.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target.matches("form")) move(sale, "queueing");
  });
  sale.addEventListener("htmx:sendError", (event) => retry(sale, event.detail.xhr));
  sale.addEventListener("htmx:timeout", (event) => retry(sale, event.detail.xhr));
  sale.addEventListener("htmx:responseError", (event) => retry(sale, event.detail.xhr));
}
