// Home is the same for everybody: who has chosen another place, or comes from another city, gets it in its parts that
// depend on the place.
const KEY = "savor-city"; // where this visit comes from; asked once

function chosen() {
  const cookie = document.cookie.split("; ").find((one) => one.startsWith("savor_where="));
  return cookie ? decodeURIComponent(cookie.split("=")[1]).replaceAll('"', "") : "";
}

async function visited() {
  const known = sessionStorage.getItem(KEY);
  if (known !== null) return known;
  const answer = await fetch("/api/cities/here");
  if (!answer.ok) return "";
  const { slug } = await answer.json();
  sessionStorage.setItem(KEY, slug);
  return slug;
}

export async function start(panel) {
  // A failure is silent: the page stays as everybody's.
  const place = chosen() || (await visited().catch(() => ""));
  if (place && place !== panel.dataset.place) panel.dispatchEvent(new Event("place"));
}
