// Home is one document for each city, which the cookie names, or at the first visit the reader's address. Who told
// where they are gets theirs in the parts that depend on the place; a city is what the next visit begins with.
const KEY = "savor-city"; // where this visit comes from; asked once
const KEPT = 30 * 24 * 60 * 60; // seconds

/** Keep a place, a city's name in addresses or "lat,lng", as the one that this browser's pages are of. */
export function remember(place) {
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `savor_where=${place}; path=/; max-age=${KEPT}; samesite=lax${secure}`;
}

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
  remember(slug);
  sessionStorage.setItem(KEY, slug);
  return slug;
}

export async function start(panel) {
  // A failure is silent: the page stays as everybody's.
  const place = chosen() || (await visited().catch(() => ""));
  if (place && place !== panel.dataset.place) panel.dispatchEvent(new Event("place"));
}
