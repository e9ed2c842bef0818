// The pages of search: the sheet of filters stays open while answers change, and the number of results is said aloud.
import { announce } from "./announce.js";

// What the reader had open and pressed when the answer before was asked for.
let before = null;

const body = (sheet) => sheet.querySelector(".search-sheet__body");

/** An answer has taken the place of the one before: its sheet is as open as that one's was. */
function follow(answer) {
  const filters = answer.querySelector("#search-filters");
  const sheet = answer.querySelector("#search-sheet");
  filters?.addEventListener("htmx:beforeRequest", () => {
    before = { isOpen: sheet.open, pressed: document.activeElement.id, top: body(sheet).scrollTop };
  });
  if (!before) return;
  if (sheet) {
    sheet.open = before.isOpen;
    body(sheet).scrollTop = before.top;
  }
  // htmx could not focus what the closed sheet hid.
  if (before.pressed) document.getElementById(before.pressed)?.focus({ preventScroll: true });
  announce(answer.querySelector("[data-hit-count]").textContent.trim());
}

// An Enter that ends the choice of characters in an input method is not yet a search. Safari says so by 229 only.
function guard(box) {
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.isComposing || event.keyCode === 229)) event.preventDefault();
  });
}

export function start(element) {
  if (element.matches("form")) guard(element);
  else follow(element);
}
