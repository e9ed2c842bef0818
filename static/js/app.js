// Entry: finds elements by their data attributes, loads the module that knows them, and starts each element once.
// What a page doesn't need at first comes later: see ON_TOUCH, and covers.js.
import * as covers from "./covers.js";
import * as personal from "./personal.js";

const PERSONAL =
  "[data-who], [data-like], [data-follow], [data-bell], [data-save-shop], [data-save-note], [data-saved-shop], " +
  "[data-for], [data-owner], [data-except]";
const MODULES = [
  [PERSONAL, () => personal],
  [":is(.chips, .segments) > [aria-current]", () => import("./chosen.js")],
  ["[data-toasts] .toast", () => import("./toast.js")],
  ["[data-countdown]", () => import("./countdown.js")],
  ["[data-live]", () => import("./live_parts.js")],
  ["[data-sale]", () => import("./sale.js")],
  ["[data-order], [data-lost-order]", () => import("./receipts.js")],
  ["[data-place]", () => import("./place.js")],
  ["[data-feed]", () => import("./feed.js")],
  ["[data-map]:not([data-still])", () => import("./map.js")],
  ["[data-map][data-still]", () => import("./map_near.js")],
  ["[data-reader=person] [data-new]", () => import("./bell.js")],
  ["[data-reader=person] [data-chats]", () => import("./chat_count.js")],
  ["[data-chat]", () => import("./chat.js")],
  ["[data-chosen-people]", () => import("./chosen_people.js")],
  ["[data-chat-list]", () => import("./chat_list.js")],
  ["[data-composer]", () => import("./compose.js")],
  ["[data-file-field]", () => import("./file_field.js")],
  ["[data-tokens]", () => import("./tokens.js")],
  ["[data-draft], [data-draft-end]", () => import("./drafts.js")], // after those that have a part in a draft
  ["[data-ad], [data-paid-shop]", () => import("./ads.js")],
  ["[data-directions]", () => import("./directions.js")],
  ["[data-dialog-open]", () => import("./dialog.js")],
  ["[data-counter]", () => import("./counter.js")],
  ["[data-city-choice]", () => import("./city_choice.js")],
  ["[data-push]", () => import("./push.js")],
  ["[data-copy-text]", () => import("./copy_text.js")],
  ["[data-search-answer]", () => import("./search.js")],
  ["[data-busy], [data-otp], [data-autosubmit]", () => import("./forms.js")],
  [covers.SELECTOR, () => covers],
  ["[data-near-end]", () => covers.end],
  ["[data-theme] [data-theme-toggle]", () => import("./theme.js")],
];
/** Their modules come with the first press or focus. */
const ON_TOUCH = [
  ["[data-theme-toggle]", () => import("./theme.js")],
  ["[data-geolocate]", () => import("./geolocate.js")],
  ["[data-menu]", () => import("./menu.js")],
  ["[data-suggest]", () => import("./combobox.js")],
  ["[data-mentions]", () => import("./mentions.js")],
  ["[data-search-box]", () => import("./search.js")],
  ["[data-filter-sheet]", () => import("./filters.js")],
];
const started = new WeakMap();
const starting = new Set();

function fresh(element, selector) {
  const seen = started.get(element) ?? new Set();
  started.set(element, seen);
  return !seen.has(selector) && seen.add(selector);
}

async function startEach(root) {
  for (const [selector, load] of MODULES) {
    const found = [...root.querySelectorAll(selector)];
    if (root.matches?.(selector)) found.unshift(root);
    if (!found.length) continue;
    const news = found.filter((element) => fresh(element, selector));
    // Also for those of another run: later modules count on it.
    const module = await load();
    news.forEach((element) => module.start(element));
  }
}

/** Runs go on side by side (this module's and that of htmx's first load): none waits for what another has begun. */
function startIn(root) {
  const run = startEach(root).finally(() => starting.delete(run));
  starting.add(run);
  return run;
}

async function touch(element) {
  for (const [selector, load] of ON_TOUCH) {
    const place = element.closest?.(selector);
    if (!place || !fresh(place, selector)) continue;
    const module = await load().catch(() => started.get(place).delete(selector)); // the next touch tries again
    if (!module?.start) continue;
    module.start(place);
    place.dataset.awake = "";
    place.dispatchEvent(new Event("awake"));
  }
}

/** What was pressed or chosen before its module was there happens once more when it is. */
function hold(event) {
  const control = event.target.closest(event.type === "click" ? "button" : "select");
  const place = control?.closest("[data-theme-toggle], [data-geolocate]");
  if (!place || "awake" in place.dataset) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const repeat = () => (event.type === "click" ? control.click() : control.dispatchEvent(new Event("change")));
  place.addEventListener("awake", repeat, { once: true });
  touch(control);
}

function isHtml(xhr) {
  return (xhr.getResponseHeader("Content-Type") ?? "").startsWith("text/html") && xhr.responseText.trim() !== "";
}

function isPage(xhr) {
  return /^\s*<!doctype/i.test(xhr.responseText);
}

// What a whole error page says, where a fragment was asked for: "wait a moment" and not "check your network".
function sentenceOf(xhr) {
  if (!xhr || !isHtml(xhr) || !isPage(xhr)) return "";
  return new DOMParser().parseFromString(xhr.responseText, "text/html").querySelector(".error__text")?.textContent.trim();
}

// A refusal drawn as a fragment takes its place like any answer; a whole page, as the log-in's, is gone to.
function decide({ detail }) {
  const { xhr } = detail;
  if (!isHtml(xhr)) return;
  if (xhr.status >= 400 && !isPage(xhr)) {
    detail.shouldSwap = true;
    detail.isError = false;
  } else if (xhr.status < 400 && isPage(xhr) && !detail.boosted && detail.target !== document.body) {
    detail.shouldSwap = false;
    location.assign(xhr.responseURL);
  }
}

// What changes by itself keeps its height, so that nothing jumps up under a thumb.
function keepPlace({ detail }) {
  const place = detail.target?.closest("[data-steady]");
  if (place) place.style.minBlockSize = `${place.offsetHeight}px`;
}

// The header leads back to where the reader is, also after an answer that changed the address.
function leadBack() {
  const here = location.pathname + location.search;
  for (const field of document.querySelectorAll('.header [name="next"]')) field.value = here;
  for (const link of document.querySelectorAll('.header a[data-for="visitor"]')) link.search = new URLSearchParams({ next: here });
}

async function say({ text, level, ...ways }) {
  (await import("./toast.js")).toast(text, level, ways);
}

/** The page's own words in place of the browser's; `event.target` is the field. */
function refuse(event) {
  event.preventDefault();
  import("./invalid_fields.js").then((module) => module.explain(event.target));
}

function listen(body) {
  for (const name of ["focusin", "pointerdown"]) body.addEventListener(name, ({ target }) => touch(target));
  for (const name of ["click", "change"]) body.addEventListener(name, hold, { capture: true });
  body.addEventListener("invalid", refuse, { capture: true });
  body.addEventListener("toast", ({ detail }) => say(detail));
  body.addEventListener("htmx:beforeSwap", decide);
  body.addEventListener("htmx:beforeSwap", keepPlace);
  body.addEventListener("htmx:pushedIntoHistory", leadBack);
  body.addEventListener("htmx:load", ({ detail }) => startIn(detail.elt));
  const excuse = (event) => {
    // What asks by itself, again and again, fails in silence.
    if (event.target.closest("[data-sale], [data-quiet]")) return;
    say({ text: sentenceOf(event.detail.xhr) || body.dataset.trouble, level: "error" });
  };
  for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) body.addEventListener(name, excuse);
}

// Links that open something over the page. The module comes with the first press; the link is there without it.
const OVER_PAGE = [
  ["[data-photos] a[data-photo]", () => import("./viewer.js")],
  ["a[data-share]", () => import("./share.js")],
];

function openOverPage(event) {
  const [link, load] = OVER_PAGE.map(([selector, load]) => [event.target.closest(selector), load]).find(([found]) => found) ?? [];
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  load()
    .then((module) => module.open(link))
    .catch(() => location.assign(link.href));
}

// Storage may be forbidden.
function has(storage, key) {
  try {
    return window[storage].getItem(key) !== null;
  } catch {
    return false;
  }
}

listen(document.body);
document.addEventListener("click", openOverPage);
// Words of a sent form.
if (has("sessionStorage", "savor-sent")) (await import("./drafts.js")).settle();
await startIn(document);
await touch(document.activeElement);
personal.listen(({ person }) => person && startIn(document));
// Files of drafts that ended.
if (has("localStorage", "savor-files")) import("./kept_files.js").then((files) => files.sweep());
// Promised orders that no page has seen recorded.
if (has("localStorage", "savor-receipts")) (await import("./receipts.js")).sweep();
await Promise.all(starting);
// From here on each control answers to script; until here each does what it does without.
document.documentElement.dataset.started = "";
// Last, what answers while the network is away; see offline.js.
if (navigator.serviceWorker && document.body.dataset.worker) {
  const register = () => import("./offline.js");
  if (document.readyState === "complete") register();
  else addEventListener("load", register, { once: true });
}
