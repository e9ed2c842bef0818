// The part of a map that was searched. It stands with the entry of the history, where a reload and the back button find
// it, and in no address: those are shared, kept in histories and written into logs. Old links that hold one lose it here.
const SIDES = ["south", "west", "north", "east"];
const NORTHMOST = 85.05; // degrees that a map shows

const clamp = (degrees, most) => Math.max(-most, Math.min(most, degrees)).toFixed(5);

/** {south, west, north, east} of what a map shows. */
export function seen(map) {
  const box = map.getBounds();
  return {
    south: clamp(box.getSouth(), NORTHMOST),
    north: clamp(box.getNorth(), NORTHMOST),
    west: clamp(box.getWest(), 180),
    east: clamp(box.getEast(), 180),
  };
}

export const boundsOf = ({ south, west, north, east }) => [[south, west], [north, east]];

/** Keeps a window with this page's place in the history; the address loses it. */
export function keep(box) {
  const url = new URL(location.href);
  SIDES.forEach((side) => url.searchParams.delete(side));
  history.replaceState({ ...history.state, mapWindow: box }, "", url);
}

/** The window of this page, or undefined. */
export function recall() {
  const given = new URLSearchParams(location.search);
  if (SIDES.every((side) => given.has(side))) keep(Object.fromEntries(SIDES.map((side) => [side, given.get(side)])));
  return history.state?.mapWindow;
}

/** The path and query of the shops in a window, with all choices of the page: of areas and prices there may be several. */
export function address(base, box) {
  const url = new URL(base, location.href);
  url.search = location.search;
  for (const [side, degrees] of Object.entries(box)) url.searchParams.set(side, degrees);
  url.searchParams.delete("cursor");
  return url.pathname + url.search;
}

/** What the form of filters asks for stays within the window, which `read` gives. */
export function narrow(form, read) {
  form.addEventListener("htmx:configRequest", ({ detail }) => Object.assign(detail.parameters, read()));
  // htmx writes a state of its own over that of the place which it leaves, and of the one that it comes back to.
  for (const event of ["htmx:beforeHistoryUpdate", "htmx:pushedIntoHistory"]) {
    document.body.addEventListener(event, () => form.isConnected && read() && keep(read()));
  }
}

addEventListener("popstate", ({ state }) => state?.mapWindow && keep(state.mapWindow));
