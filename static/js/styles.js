// Loads a style sheet once; resolves when it applies, or can't.
export function loadStyle(address) {
  if (document.querySelector(`link[href="${address}"]`)) return null;
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = address;
  document.head.append(style);
  return new Promise((done) => (style.onload = style.onerror = done));
}
