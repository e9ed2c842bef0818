// <details data-menu>: a choice in it, a press beside it and Escape close it again.
export function start(menu) {
  const summary = menu.querySelector("summary");
  document.addEventListener("click", (event) => {
    if (menu.open && !summary.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    summary.focus();
  });
}
