// Fills the button beside a read-only text: it copies the text. Another one opens the device's share sheet.
function offerSheet(button, url) {
  if (!navigator.canShare?.({ url })) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    navigator.share({ title: button.dataset.title, url }).catch(() => {}); // The person changed their mind.
  });
}

export function start(field) {
  const text = field.querySelector("input");
  const button = field.querySelector("[data-done]");
  const sheet = field.querySelector("[data-title]");
  if (sheet) offerSheet(sheet, text.value);
  button.hidden = false;
  button.addEventListener("click", async () => {
    text.select();
    try {
      await navigator.clipboard.writeText(text.value);
    } catch {
      // Without the right to write, or without HTTPS.
      if (!document.execCommand("copy")) return;
    }
    button.textContent = button.dataset.done;
  });
}
