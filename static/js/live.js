// Server-sent events for [data-live="URL"]: one connection for each URL, however often htmx draws the element anew.
// A change of the element's own kind is shown in place; any other makes htmx ask for it ("live" in its hx-trigger).
// While the connection stands, the element's own asking by the clock rests.
const sources = new Map();

const watching = (url) => [...document.querySelectorAll("[data-live]")].filter((it) => it.dataset.live === url);
const isOpen = (url) => sources.get(url)?.readyState === EventSource.OPEN;

function showUnits(element, left) {
  const bar = element.querySelector("progress");
  const words = element.querySelector("[data-left]");
  if (!bar || !words) return false;
  // Sold out, or on sale again: other words and another button.
  if ((left === 0) !== (Number(words.dataset.left) === 0)) return false;
  if (left === Number(words.dataset.left)) return true;
  words.textContent = words.textContent.replace(words.dataset.left, left);
  words.dataset.left = left;
  bar.value = left;
  return true;
}

function isShown(element, said) {
  return "left" in said ? showUnits(element, said.left) : element.dataset.face === said.status;
}

function tell(url, said) {
  const elements = watching(url);
  if (!elements.length) close(url);
  for (const element of elements) {
    if (isShown(element, said)) continue;
    // Hundreds who wait for one unit do not all ask in one instant.
    setTimeout(() => element.isConnected && element.dispatchEvent(new Event("live")), Math.random() * 300);
  }
}

function close(url) {
  sources.get(url)?.close();
  sources.delete(url);
}

function open(url) {
  if (sources.has(url)) return;
  const source = new EventSource(url);
  sources.set(url, source);
  source.addEventListener("message", ({ data }) => tell(url, JSON.parse(data)));
}

/** A poll has no event of its own: it rests while the stream tells everything. */
function rest(event) {
  const { elt, triggeringEvent } = event.detail.requestConfig;
  if (elt === event.currentTarget && !triggeringEvent && isOpen(elt.dataset.live)) event.preventDefault();
}

export function start(element) {
  element.addEventListener("htmx:beforeRequest", rest);
  open(element.dataset.live);
}

// A page that the back button brings from memory opens its streams again; one that goes there must not hold any.
addEventListener("pagehide", () => [...sources.keys()].forEach(close));
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) for (const element of document.querySelectorAll("[data-live]")) open(element.dataset.live);
});
