// The cookie that holds the place which this browser's pages are of: a city's name in addresses, or "lat,lng".
const KEPT = 30 * 24 * 60 * 60; // seconds

export function remember(place) {
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `savor_where=${place}; path=/; max-age=${KEPT}; samesite=lax${secure}`;
}
