// One polite voice for the whole page: <p id="live" aria-live="polite">.
export function announce(text) {
  const live = document.getElementById("live");
  if (!live || !text) return;
  live.textContent = "";
  requestAnimationFrame(() => (live.textContent = text));
}
