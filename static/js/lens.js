// The lens: a button with this page's totals opens a drawer with the newest requests of this browser. What the page
// asks for later (htmx, JSON) is added on top as it comes.
const MAX_REQUESTS = 40; // requests in the drawer
const SETTLED = 300; // milliseconds without a new request after which they are fetched
const KEY = "savor-lens-open";

const lens = document.querySelector("[data-lens]");
const button = lens.querySelector("[data-lens-open]");
const more = lens.querySelector("[data-lens-more]");
const drawer = lens.querySelector("#lens-drawer");
const list = lens.querySelector("[data-lens-list]");
let later = 0;
let timer = 0;

function remember(isOpen) {
  try {
    if (isOpen) sessionStorage.setItem(KEY, "1");
    else sessionStorage.removeItem(KEY);
  } catch {
    // Forbidden storage: the next page begins with the drawer closed.
  }
}

function wasOpen() {
  try {
    return sessionStorage.getItem(KEY) === "1";
  } catch {
    return false;
  }
}

// What is open, and where somebody reads, stays as it is: only what is new is added.
function addNew(html) {
  const parts = new DOMParser().parseFromString(html, "text/html");
  const entries = [...parts.querySelectorAll("[data-request]")];
  if (!entries.length) {
    list.replaceChildren(...parts.body.children);
    return;
  }
  const known = new Set([...list.querySelectorAll("[data-request]")].map((entry) => entry.dataset.request));
  if (!known.size) list.replaceChildren();
  for (const entry of entries.reverse()) if (!known.has(entry.dataset.request)) list.prepend(entry);
  [...list.children].slice(MAX_REQUESTS).forEach((entry) => entry.remove());
}

async function load() {
  list.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(lens.dataset.requests);
    if (!answer.ok) throw new Error(answer.statusText);
    addNew(await answer.text());
  } catch {
    if (!list.children.length) list.textContent = lens.dataset.trouble;
  }
  list.removeAttribute("aria-busy");
}

function open({ focus = true } = {}) {
  drawer.hidden = false;
  button.setAttribute("aria-expanded", "true");
  remember(true);
  if (focus) drawer.focus();
  load();
}

function close() {
  drawer.hidden = true;
  button.setAttribute("aria-expanded", "false");
  remember(false);
  button.focus();
}

function record(entries) {
  const recorded = entries.getEntries().filter(({ serverTiming }) => serverTiming?.some(({ name }) => name === "redis"));
  if (!recorded.length) return;
  later += recorded.length;
  more.textContent = `+${later}`;
  more.hidden = false;
  clearTimeout(timer);
  if (!drawer.hidden) timer = setTimeout(load, SETTLED);
}

async function copy(pressed) {
  await navigator.clipboard.writeText(pressed.closest("li").querySelector("pre").textContent);
  pressed.textContent = lens.dataset.copied;
}

button.setAttribute("role", "button");
button.setAttribute("aria-controls", drawer.id);
button.setAttribute("aria-expanded", "false");
button.addEventListener("click", (event) => {
  event.preventDefault();
  if (drawer.hidden) open();
  else close();
});
button.addEventListener("keydown", (event) => {
  if (event.key !== " ") return;
  event.preventDefault();
  button.click();
});
lens.querySelector("[data-lens-close]").addEventListener("click", close);
lens.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !drawer.hidden) close();
});
list.addEventListener("click", (event) => {
  const pressed = event.target.closest("[data-copy]");
  if (pressed) copy(pressed);
});
new PerformanceObserver(record).observe({ type: "resource", buffered: true });
if (wasOpen()) open({ focus: false });
