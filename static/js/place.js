// Home is the same for everybody: who has chosen another place gets it in its parts that depend on the place.
function chosen() {
  const cookie = document.cookie.split("; ").find((one) => one.startsWith("savor_where="));
  return cookie ? decodeURIComponent(cookie.split("=")[1]).replaceAll('"', "") : "";
}

export function start(panel) {
  if (chosen() && chosen() !== panel.dataset.place) panel.dispatchEvent(new Event("place"));
}
