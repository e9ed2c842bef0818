// <section data-map data-lat data-lng data-tiles data-list="#id">: a Leaflet map whose markers are the [data-shop] rows
// of the list beside it. data-still is a small map of one place. Without tiles the frame's drawn ground stays.
const RINGS = [500, 1000, 2000];

function copy(frame, name) {
  return frame.querySelector(`template[${name}]`).content.firstElementChild.cloneNode(true);
}

function icon(element, size, tip) {
  return L.divIcon({ html: element, className: "map-mark", iconSize: [size, size], iconAnchor: tip });
}

const REFERRER = "strict-origin-when-cross-origin"; // the tiles' policy wants to know who asks

/** One tile is asked for first; the first that fails ends the asking. */
function ground(map, frame, at) {
  if (!frame.dataset.tiles) return;
  const note = frame.querySelector("[data-map-note]");
  const tiles = L.tileLayer(frame.dataset.tiles, { maxZoom: 19, attribution: "© OpenStreetMap", referrerPolicy: REFERRER });
  const without = () => {
    tiles.remove();
    if (note) note.hidden = false;
  };
  tiles.once("tileerror", without);
  const { x, y } = map.project(at, 15).divideBy(256).floor();
  const first = new Image();
  first.referrerPolicy = REFERRER;
  first.onload = () => tiles.addTo(map);
  first.onerror = without;
  first.src = L.Util.template(frame.dataset.tiles, { z: 15, x, y, s: "a", r: "" });
}

function length(value, unit) {
  return new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit }).format(value);
}

function rings(map, at) {
  const layers = RINGS.flatMap((radius) => {
    const north = L.latLng(at.lat + radius / 111226, at.lng);
    const words = document.createElement("span");
    words.textContent = radius < 1000 ? length(radius, "meter") : length(radius / 1000, "kilometer");
    const label = L.divIcon({ html: words, className: "map-ring__label", iconSize: null });
    return [
      L.circle(at, { radius, className: "map-ring", interactive: false }),
      L.marker(north, { icon: label, interactive: false, keyboard: false }),
    ];
  });
  return L.layerGroup(layers).addTo(map);
}

function pin(frame, kind) {
  const drawn = copy(frame, "data-map-pin");
  const use = drawn.querySelector("use");
  if (kind) {
    use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${kind}`));
    drawn.classList.add(`kind-${kind}`);
  }
  return icon(drawn, 36, [18, 42]);
}

function popup(row) {
  const card = row.firstElementChild.cloneNode(true);
  card.classList.remove("shop-card--row");
  card.querySelectorAll("img").forEach((img) => img.removeAttribute("loading"));
  return card;
}

function mark(row, frame, layer) {
  const name = row.querySelector(".shop-card__name")?.textContent.trim() ?? "";
  const at = [Number(row.dataset.lat), Number(row.dataset.lng)];
  const marker = L.marker(at, { icon: pin(frame, row.dataset.kind), alt: name, title: name, riseOnHover: true });
  marker.bindPopup(() => popup(row), { minWidth: 220, maxWidth: 240, className: "map-popup" }).addTo(layer);
  for (const [event, on] of [["mouseenter", true], ["mouseleave", false], ["focusin", true], ["focusout", false]]) {
    row.addEventListener(event, () => marker.getElement()?.classList.toggle("map-mark--hot", on));
  }
}

function address(button, map) {
  const url = new URL(button.dataset.url, location.href);
  url.search = location.search;
  url.searchParams.delete("cursor");
  const box = map.getBounds();
  const clamp = (value, most) => Math.max(-most, Math.min(most, value)).toFixed(5);
  url.searchParams.set("south", clamp(box.getSouth(), 85.05));
  url.searchParams.set("north", clamp(box.getNorth(), 85.05));
  url.searchParams.set("west", clamp(box.getWest(), 180));
  url.searchParams.set("east", clamp(box.getEast(), 180));
  return url;
}

function searchable(frame, map, list, draw) {
  const button = frame.querySelector("[data-map-search]");
  map.on("dragend zoomend", () => {
    button.hidden = false;
    frame.dataset.zoom = map.getZoom();
  });
  button.addEventListener("click", async () => {
    const url = address(button, map);
    button.setAttribute("aria-busy", "true");
    await htmx.ajax("GET", url.pathname + url.search, { target: list, swap: "innerHTML" });
    button.removeAttribute("aria-busy");
    button.hidden = true;
    history.replaceState(null, "", url);
    draw();
  });
}

function still(frame, map, at) {
  map.setView(at, 15);
  L.marker(at, { icon: pin(frame, frame.dataset.kind), interactive: false, keyboard: false }).addTo(map);
  L.circle(at, { radius: 300, className: "map-ring", interactive: false }).addTo(map);
}

function full(frame, map, at) {
  const list = document.querySelector(frame.dataset.list);
  const here = L.latLng(Number(frame.dataset.hereLat), Number(frame.dataset.hereLng));
  const markers = L.layerGroup().addTo(map);
  const rows = () => [...list.querySelectorAll("[data-shop]")];
  const draw = () => {
    markers.clearLayers();
    rows().forEach((row) => mark(row, frame, markers));
  };
  const box = new URLSearchParams(location.search);
  if ("boxed" in frame.dataset) map.fitBounds([[box.get("south"), box.get("west")], [box.get("north"), box.get("east")]]);
  else map.fitBounds(at.toBounds(2600));
  rings(map, here);
  L.marker(here, { icon: icon(copy(frame, "data-map-here"), 22, [11, 11]), interactive: false, keyboard: false }).addTo(map);
  L.control.zoom({ zoomInTitle: frame.dataset.zoomIn, zoomOutTitle: frame.dataset.zoomOut }).addTo(map);
  map.on("popupopen", ({ popup }) => popup.getElement().querySelector(".leaflet-popup-close-button")?.setAttribute("aria-label", frame.dataset.close));
  draw();
  searchable(frame, map, list, draw);
}

export function start(frame) {
  if (!("L" in window)) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const small = "still" in frame.dataset;
  const quiet = { dragging: !small, scrollWheelZoom: !small, zoomControl: false, doubleClickZoom: !small, boxZoom: !small, keyboard: !small, touchZoom: !small };
  const motion = calm ? { zoomAnimation: false, fadeAnimation: false, markerZoomAnimation: false } : {};
  const map = L.map(frame.querySelector("[data-map-canvas]"), { minZoom: 9, maxZoom: 18, ...quiet, ...motion });
  map.attributionControl.setPrefix("");
  const at = L.latLng(Number(frame.dataset.lat), Number(frame.dataset.lng));
  ground(map, frame, at);
  (small ? still : full)(frame, map, at);
}
