// <button data-dialog-open="id"> opens <dialog id="id">; a click on the backdrop or on [data-dialog-close] closes it.
export function start(button) {
  const dialog = document.getElementById(button.dataset.dialogOpen);
  if (!dialog?.showModal) return;
  // Only now: until here a link leads to a page of its own.
  button.setAttribute("aria-haspopup", "dialog");
  button.addEventListener("click", (event) => {
    event.preventDefault();
    dialog.showModal();
    // hx-trigger="opened" fetches what the dialog says: before this module was there nothing would have shown it.
    button.dispatchEvent(new Event("opened"));
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("[data-dialog-close]")) dialog.close();
  });
}
