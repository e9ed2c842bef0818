// Messages that go away by themselves, except errors. Others call toast(text, level), the server sends
// HX-Trigger: {"toast": {"text": "...", "level": "success"}}.
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
  let timer = setTimeout(leave, STAY, element);
  const hold = () => clearTimeout(timer);
  const release = () => (timer = setTimeout(leave, STAY, element));
  for (const name of ["mouseenter", "focusin"]) element.addEventListener(name, hold);
  for (const name of ["mouseleave", "focusout"]) element.addEventListener(name, release);
}

/** level: info, success, warning or error. */
export function toast(text, level = "info") {
  const template = document.getElementById(`toast-${level}`) ?? document.getElementById("toast-info");
  const element = template.content.firstElementChild.cloneNode(true);
  element.querySelector("p").textContent = text;
  document.getElementById("toasts").append(element);
  live(element);
}

export { live as start };
