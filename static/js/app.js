// Entry: finds elements by their data attributes, loads the module that knows them, and starts each element once.
import { toast } from "./toast.js";

const MODULES = [
  ["[data-theme-toggle]", () => import("./theme.js")],
  ["[data-toasts]", () => import("./toast.js")],
  ["[data-countdown]", () => import("./countdown.js")],
  ["[data-sale]", () => import("./sale.js")],
  ["[data-geolocate]", () => import("./geolocate.js")],
  ["[data-dialog-open]", () => import("./dialog.js")],
  ["[data-busy], [data-otp], [data-autosubmit]", () => import("./forms.js")],
];
const started = new WeakMap();

function fresh(element, selector) {
  const seen = started.get(element) ?? new Set();
  started.set(element, seen);
  return !seen.has(selector) && seen.add(selector);
}

async function startIn(root) {
  for (const [selector, load] of MODULES) {
    const found = [...root.querySelectorAll(selector)];
    if (root.matches?.(selector)) found.unshift(root);
    const news = found.filter((element) => fresh(element, selector));
    if (!news.length) continue;
    const module = await load();
    news.forEach((element) => module.start(element));
  }
}

// A refusal drawn by the server (a fragment of HTML, not a whole page) takes its place like any answer.
function mayDraw(xhr) {
  const html = (xhr.getResponseHeader("Content-Type") ?? "").startsWith("text/html");
  return html && !/^\s*<!doctype/i.test(xhr.responseText);
}

function listen(body) {
  body.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (detail.xhr.status >= 400 && mayDraw(detail.xhr)) {
      detail.shouldSwap = true;
      detail.isError = false;
    }
  });
  body.addEventListener("htmx:load", ({ detail }) => startIn(detail.elt));
  const excuse = (event) => {
    if (!event.target.closest("[data-sale]")) toast(body.dataset.trouble, "error");
  };
  for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) body.addEventListener(name, excuse);
}

listen(document.body);
startIn(document);
