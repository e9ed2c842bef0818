// Fills the button beside a read-only text: it copies the text.
export function start(field) {
  const text = field.querySelector("input");
  const button = field.querySelector("button");
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
