// Messages that go away by themselves, except errors. Others call toast(text, level), the server sends
// HX-Trigger: {"toast": {"text": "...", "level": "success", "undo": url, "more": {"url": url, "text": words}}}.
const STAY = 6000; // milliseconds
const alive = new WeakSet();

function leave(element) {
  element.remove();
}

function live(element) {
  if (alive.has(element)) return;
  alive.add(element);
  element.querySelector("[data-toast-close]")?.addEventListener("click", () => leave(element));
  if (element.dataset.level === "error") return;
  let timer;
  const hold = () => clearTimeout(timer);
  const release = () => {
    hold();
    if (!element.querySelector(".htmx-request")) timer = setTimeout(leave, STAY, element);
  };
  release();
  for (const name of ["mouseenter", "focusin", "htmx:beforeSend"]) element.addEventListener(name, hold);
  for (const name of ["mouseleave", "focusout", "htmx:afterRequest"]) element.addEventListener(name, release);
}

function offerUndo(element, url) {
  const form = document.getElementById("toast-undo").content.firstElementChild.cloneNode(true);
  form.action = url;
  form.setAttribute("hx-post", url);
  // Without an answer nothing came back: it can be pressed again.
  form.addEventListener("htmx:afterRequest", ({ detail }) => detail.successful && leave(element));
  element.querySelector("p").after(form);
  htmx.process(form);
}

function offerLink(element, { url, text }) {
  const link = document.createElement("a");
  link.className = "btn btn--quiet btn--small";
  link.href = url;
  link.textContent = text;
  element.querySelector("p").after(link);
}

/** level: info, success, warning or error; undo: the URL to which a button Undo posts; more: a link. */
export function toast(text, level = "info", { undo, more } = {}) {
  const template = document.getElementById(`toast-${level}`) ?? document.getElementById("toast-info");
  const element = template.content.firstElementChild.cloneNode(true);
  element.querySelector("p").textContent = text;
  const place = document.getElementById("toasts");
  // The same error again, as of each press on a lost line, is said once.
  for (const earlier of place.querySelectorAll("[data-level=error]")) {
    if (earlier.querySelector("p").textContent === text) leave(earlier);
  }
  place.append(element);
  if (undo) offerUndo(element, undo);
  if (more) offerLink(element, more);
  live(element);
}

export { live as start };
