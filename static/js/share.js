// The share sheet of an a[data-share]: imported at the first press (app.js); without scripts the link leads to the chats.
import { loadStyle } from "./styles.js";

async function copy(dialog) {
  const field = dialog.querySelector("[data-link]");
  const status = dialog.querySelector("[data-status]");
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    status.textContent = field.dataset.copied;
  } catch {
    // Without the right to write, or without HTTPS: the link is selected.
    status.textContent = document.execCommand("copy") ? field.dataset.copied : field.dataset.press;
  }
}

function arm(dialog, link) {
  const field = dialog.querySelector("[data-link]");
  const native = dialog.querySelector("[data-native]");
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog || target.closest("[data-close]")) dialog.close();
    else if (target.closest("[data-copy]")) copy(dialog);
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    link.focus();
  });
  native.hidden = !navigator.canShare?.({ url: field.value });
  native.addEventListener("click", () =>
    navigator.share({ title: field.dataset.title, url: field.value }).then(
      () => dialog.close(),
      () => {}, // The person changed their mind.
    ),
  );
}

/** Show the sheet of a link: what is shared, the link itself, and where it may go. */
export async function open(link) {
  const answer = await fetch(link.dataset.share, { headers: { "HX-Request": "true" } });
  if (!answer.ok) throw new Error(`no sheet: ${answer.status}`);
  const dialog = document.createElement("dialog");
  dialog.className = "dialog share";
  dialog.innerHTML = await answer.text();
  dialog.setAttribute("aria-labelledby", "share-title");
  await loadStyle(dialog.firstElementChild.dataset.style);
  document.body.append(dialog);
  arm(dialog, link);
  dialog.showModal();
}
