// <time data-countdown data-ends-at=ISO data-announce="{left} left">
// Counts by the server's clock. Fires "countdown:done" (bubbles) once at zero; the text before JS stays readable without it.
import { listen } from "./personal.js";

const SPOKEN = [300, 60, 10]; // seconds left at which the remaining time is read out
const CLOCK_PATIENCE = 5; // seconds that a device's clock is not believed when it says that it is over
let offset = null; // milliseconds to add to the device's clock
const UNITS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** The server's time in unix milliseconds; the device's own until the personal part of the page tells it. */
export const now = () => Date.now() + (offset ?? 0);

/** The server wrote its time half-way between question and answer. */
listen(({ now_ms: serverTime, askedAt, answeredAt }) => (offset = serverTime - (askedAt + answeredAt) / 2));

const formats = new Map(); // by unit: to make one takes a slow phone longer than all the rest of a second's work

function formatOf(unit) {
  const words = { style: "unit", unit, unitDisplay: "long" };
  if (!formats.has(unit)) formats.set(unit, new Intl.NumberFormat(document.documentElement.lang, words));
  return formats.get(unit);
}

/** "2 minutes" in the page's language: the largest unit that fits. */
function inWords(seconds) {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? UNITS[3];
  return formatOf(unit).format(Math.floor(seconds / size));
}

function digits(seconds) {
  const two = (n) => String(n).padStart(2, "0");
  const rest = seconds % 86400;
  return [two(Math.floor(rest / 3600)), two(Math.floor((rest % 3600) / 60)), two(rest % 60)];
}

function dayWords(seconds) {
  return seconds >= 86400 ? inWords(seconds - (seconds % 86400)) : "";
}

function build(time) {
  time.textContent = "";
  const part = (name) => time.appendChild(Object.assign(document.createElement("span"), { className: name }));
  const day = part("countdown__days");
  const cells = [];
  for (let i = 0; i < 3; i += 1) {
    if (i) part("countdown__sep").textContent = ":";
    cells.push(part("countdown__cell"));
  }
  return { day, cells };
}

/** Most of what a second shows is what the one before it showed, and isn't drawn again. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function paint(time, parts, left) {
  write(parts.day, dayWords(left));
  parts.day.hidden = left < 86400;
  digits(left).forEach((text, i) => write(parts.cells[i], text));
  time.toggleAttribute("data-last", left <= 60);
  const words = inWords(left);
  if (time.getAttribute("aria-label") !== words) time.setAttribute("aria-label", words);
}

function speak(time, left) {
  if (!SPOKEN.includes(left) || !time.dataset.announce) return;
  const words = time.dataset.announce.replace("{left}", inWords(left));
  import("./announce.js").then(({ announce }) => announce(words));
}

export function start(time) {
  const end = Date.parse(time.dataset.endsAt);
  if (Number.isNaN(end)) return;
  const parts = build(time);
  time.setAttribute("role", "timer");
  let patience = CLOCK_PATIENCE;
  const tick = () => {
    if (!time.isConnected) return;
    const ms = end - now();
    const left = Math.max(0, Math.ceil(ms / 1000));
    paint(time, parts, left);
    if (ms <= 0 && offset === null && patience-- > 0) return setTimeout(tick, 1000);
    if (ms <= 0) {
      time.dispatchEvent(new CustomEvent("countdown:done", { bubbles: true }));
      return;
    }
    speak(time, left);
    setTimeout(tick, ms % 1000 || 1000);
  };
  tick();
}
