// <details data-filter-sheet>: on a phone a sheet from below. Escape, the shade and [data-filter-done] close it; each
// change has brought its answer by then.
function close(sheet) {
  sheet.open = false;
  sheet.querySelector("summary").focus();
}

export function start(sheet) {
  sheet.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && sheet.open) close(sheet);
  });
  sheet.querySelector("[data-filter-done]")?.addEventListener("click", (event) => {
    event.preventDefault();
    close(sheet);
  });
}
