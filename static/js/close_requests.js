// What lies over a page and is no dialog closes as dialogs do: by Escape, wherever the focus is, and by the back button
// of Android, which otherwise leaves the page.

/** Calls `close` when it is asked for. Returns what to call once it was closed by other means. */
export function listen(close) {
  if (!("CloseWatcher" in window)) return () => {};
  const watcher = new CloseWatcher();
  watcher.addEventListener("close", close);
  return () => watcher.destroy();
}
