// <details data-filter-sheet>: on a phone a sheet from below. Escape, the shade and [data-filter-done] close it; each
// change has brought its answer by then.
import * as closeRequests from "./close_requests.js";

function close(sheet) {
  sheet.open = false;
  sheet.querySelector("summary").focus();
}

export function start(sheet) {
  let stop = () => {};
  const follow = () => {
    stop();
    stop = sheet.open ? closeRequests.listen(() => close(sheet)) : () => {};
  };
  follow();
  sheet.addEventListener("toggle", follow);
  sheet.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && sheet.open) close(sheet);
  });
  sheet.querySelector("[data-filter-done]")?.addEventListener("click", (event) => {
    event.preventDefault();
    close(sheet);
  });
}
