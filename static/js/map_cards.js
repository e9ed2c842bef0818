// The rows of a map's list: beside the map on a desk; on a phone cards over its lower edge, one of which is chosen by its
// pin, a swipe or the arrow keys, and on a press of [data-map-sheet] a list in a sheet.
import * as closeRequests from "./close_requests.js";

const OVER_MAP = matchMedia("(max-width: 63.99rem)");
const REST = 120; // ms without a move: the swipe has ended

export const areOverMap = () => OVER_MAP.matches;

/** Scrolls the list alone, never the page. */
function reveal(row) {
  const list = row.parentElement;
  const [inner, outer] = [row.getBoundingClientRect(), list.getBoundingClientRect()];
  const left = inner.left + inner.width / 2 - outer.left - outer.width / 2;
  const top = inner.top + inner.height / 2 - outer.top - outer.height / 2;
  list.scrollBy({ left, top, behavior: "instant" });
}

export function leave(row) {
  row.classList.remove("map-row--on");
}

export function choose(row) {
  row.parentElement.querySelectorAll(".map-row--on").forEach(leave);
  row.classList.add("map-row--on");
  reveal(row);
}

const rowsOf = (list) => [...list.querySelectorAll("[data-shop]")];

/** The row in the middle of the cards. */
function middle(list) {
  const { left, width } = list.getBoundingClientRect();
  const away = (row) => Math.abs(row.getBoundingClientRect().left + row.offsetWidth / 2 - left - width / 2);
  return rowsOf(list).sort((one, other) => away(one) - away(other))[0];
}

/** The chosen row's pin, or the heap that it is in, stands out and is in sight. */
function point(list, { map, markerOf }, row) {
  list.querySelectorAll(".map-row--on").forEach(leave);
  row.classList.add("map-row--on");
  for (const one of rowsOf(list)) markerOf(one)?.getElement()?.classList.remove("map-mark--hot");
  const marker = markerOf(row);
  marker?.getElement()?.classList.add("map-mark--hot");
  if (marker && !map.getBounds().pad(-0.2).contains(marker.getLatLng())) map.panTo(marker.getLatLng());
}

function swipes(list, pins) {
  let rest;
  list.addEventListener("scroll", () => {
    clearTimeout(rest);
    if (!OVER_MAP.matches || "sheet" in list.dataset) return;
    rest = setTimeout(() => middle(list) && point(list, pins, middle(list)), REST);
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !OVER_MAP.matches || "sheet" in list.dataset) return;
    const rows = rowsOf(list);
    const next = rows[rows.indexOf(event.target.closest("[data-shop]")) + step];
    if (!next) return;
    event.preventDefault();
    next.querySelector("a").focus({ preventScroll: true });
    reveal(next);
  });
}

function sheet(frame, list) {
  const button = frame.querySelector("[data-map-sheet]");
  let stop = () => {};
  const close = () => {
    turn(false);
    button.focus();
  };
  const turn = (isOpen) => {
    stop();
    stop = isOpen ? closeRequests.listen(close) : () => {};
    list.toggleAttribute("data-sheet", isOpen);
    button.setAttribute("aria-expanded", isOpen);
    list.scrollTo({ top: 0, left: 0, behavior: "instant" });
  };
  button.addEventListener("click", () => turn(!("sheet" in list.dataset)));
  list.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && "sheet" in list.dataset) close();
  });
}

/** pins: {map, markerOf(row), redraw()}, which are others once the rows lie beside the map instead of over it. */
export function start(frame, list, pins) {
  swipes(list, pins);
  sheet(frame, list);
  OVER_MAP.addEventListener("change", pins.redraw);
}
