// <section data-map data-lat data-lng data-tiles data-list="#id">: a Leaflet map whose markers are the [data-shop] rows
// of the list beside it; pins that would lie over each other are one with their number. data-still is a small map of
// one place. The ground is drawn from data-ground, below the tiles of the site, if it has any.
import * as cards from "./map_cards.js";
import * as windows from "./map_window.js";

const RINGS = [500, 1000, 2000];
const DIRECTIONS = [0, 30, -30, 60, -60, 90, -90, 135, -135, 180]; // where a ring's length may stand, best first
const CLEAR_PIXELS = 48; // a length has so much room around it

function copy(frame, name) {
  return frame.querySelector(`template[${name}]`).content.firstElementChild.cloneNode(true);
}

function icon(element, size, tip) {
  return L.divIcon({ html: element, className: "map-mark", iconSize: [size, size], iconAnchor: tip });
}

const REFERRER = "strict-origin-when-cross-origin"; // owners of tiles want to know who asks
const CLUSTER_PIXELS = 56; // pins nearer to each other than this are one
const APART_FROM_ZOOM = 17; // from here on each pin stands alone
const GRID_ZOOM = 13; // lanes are drawn from here on
const CLEAR_OF_BUTTONS = { autoPanPaddingTopLeft: [72, 72], autoPanPaddingBottomRight: [16, 16] };

const isChinese = () => document.documentElement.lang.startsWith("zh");
const nameOf = ([english, chinese]) => (isChinese() ? chinese : english);

function label(at, name, kind) {
  const words = document.createElement("span");
  words.textContent = name;
  const drawn = L.divIcon({ html: words, className: `map-name map-name--${kind}`, iconSize: null });
  return L.marker(at, { icon: drawn, interactive: false, keyboard: false, pane: "names" });
}

function shape({ kind, line, name }) {
  const isArea = kind === "water" || kind === "green";
  const options = { className: `ground-${kind}`, interactive: false, pane: "ground", smoothFactor: 0.5 };
  const drawn = isArea ? L.polygon(line, options) : L.polyline(line, options);
  const at = isArea ? drawn.getBounds().getCenter() : line[Math.floor(line.length / 2)];
  const middle = line.length > 14 ? line[Math.floor(line.length / 4)] : at; // of a river that bends: on its bank
  return nameOf(name) ? [drawn, label(middle, nameOf(name), kind)] : [drawn];
}

/** Lanes between the streets, as squares that move and grow with the map. */
function lanes(map) {
  const grid = L.gridLayer({ minZoom: GRID_ZOOM, pane: "ground", className: "ground-lanes" });
  grid.createTile = () => document.createElement("div");
  return grid.addTo(map);
}

function draw(map, { shapes, districts }) {
  lanes(map);
  L.layerGroup(shapes.flatMap(shape)).addTo(map);
  L.layerGroup(districts.map(({ name, at }) => label(at, nameOf(name), "district"))).addTo(map);
}

/** Tiles above the drawn ground, if the site has any; the first that fails takes all of them away. */
function cover(map, { tiles, attribution }, failed) {
  const layer = L.tileLayer(tiles, { maxZoom: 19, attribution, referrerPolicy: REFERRER });
  layer.once("tileerror", () => {
    layer.remove();
    failed();
  });
  layer.addTo(map);
}

/** Says that nothing is drawn where the map begins; its districts and pins are there all the same. */
function sayBare(map, { shapes }, note) {
  if (note) note.hidden = shapes.some(({ line }) => map.getBounds().intersects(L.latLngBounds(line)));
}

async function ground(map, url, note) {
  for (const [name, level] of [["ground", 150], ["names", 350]]) map.createPane(name).style.zIndex = level;
  map.getPane("names").style.pointerEvents = "none";
  try {
    const found = await (await fetch(url)).json();
    draw(map, found);
    if (found.tiles) cover(map, found, () => sayBare(map, found, note));
    else sayBare(map, found, note);
  } catch {
    // Pins and list say all the same; the frame has a ground of its own.
  }
}

function length(value, unit) {
  return new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit }).format(value);
}

/** The place on a ring in a direction, in degrees from the north. */
function onRing(at, radius, degrees) {
  const angle = (degrees * Math.PI) / 180;
  const metersOfLng = 111226 * Math.cos((at.lat * Math.PI) / 180);
  return L.latLng(at.lat + (radius * Math.cos(angle)) / 111226, at.lng + (radius * Math.sin(angle)) / metersOfLng);
}

/** How far from a point of the map the nearest sign is, at most CLEAR_PIXELS; below 0 out of sight. */
function room(map, point, signs) {
  if (!L.bounds([0, 0], map.getSize()).contains(point)) return -1;
  return Math.min(CLEAR_PIXELS, ...signs.map((sign) => sign.distanceTo(point)));
}

/** Draw the rings; returns what moves their lengths clear of the markers of a layer. */
function rings(map, at) {
  const labels = RINGS.map((radius) => {
    const words = document.createElement("span");
    words.textContent = radius < 1000 ? length(radius, "meter") : length(radius / 1000, "kilometer");
    const look = L.divIcon({ html: words, className: "map-ring__label", iconSize: null });
    L.circle(at, { radius, className: "map-ring", interactive: false }).addTo(map);
    return [radius, L.marker(onRing(at, radius, 0), { icon: look, interactive: false, keyboard: false }).addTo(map)];
  });
  return (markers) => {
    // A pin's sign is above its place.
    const signs = markers.getLayers().map((one) => {
      const [, tip = 0] = one.options.icon.options.iconAnchor ?? [];
      return map.latLngToContainerPoint(one.getLatLng()).subtract([0, tip / 2]);
    });
    for (const [radius, label] of labels) {
      const places = DIRECTIONS.map((degrees) => onRing(at, radius, degrees));
      const rooms = places.map((place) => room(map, map.latLngToContainerPoint(place), signs));
      label.setLatLng(places[rooms.indexOf(Math.max(...rooms))]);
    }
  };
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

/** What a press by pointer or keyboard does; Leaflet itself hears Enter for popups alone. */
function onPress(marker, act) {
  marker.on("click", act);
  return marker.on("keypress", ({ originalEvent }) => originalEvent.key === "Enter" && act());
}

function mark(row, at, frame) {
  const name = row.querySelector(".shop-card__name")?.textContent.trim() ?? "";
  const marker = L.marker(at, { icon: pin(frame, row.dataset.kind), alt: name, title: name, riseOnHover: true });
  if (cards.areOverMap()) return onPress(marker, () => cards.choose(row));
  marker.bindPopup(() => popup(row), { minWidth: 220, maxWidth: 240, className: "map-popup", ...CLEAR_OF_BUTTONS });
  return marker.on("popupopen", () => cards.choose(row)).on("popupclose", () => cards.leave(row));
}

function heap(count, bounds, frame, map) {
  const drawn = document.createElement("span");
  drawn.textContent = count;
  const label = frame.dataset.many.replace("{n}", count);
  const look = L.divIcon({ html: drawn, className: "map-mark map-cluster", iconSize: [44, 44] });
  const marker = L.marker(bounds.getCenter(), { icon: look, title: label });
  marker.on("add", () => marker.getElement().setAttribute("aria-label", label));
  onPress(marker, () => {
    const next = Math.max(map.getBoundsZoom(bounds.pad(0.2)), map.getZoom() + 1);
    map.setView(bounds.getCenter(), Math.min(next, map.getMaxZoom()));
  });
  return marker;
}

/** Rows whose pins would lie over each other at this zoom: each joins the first heap that it is near to. */
function group(rows, map) {
  const apart = map.getZoom() >= APART_FROM_ZOOM;
  const heaps = [];
  for (const row of rows) {
    const at = L.latLng(Number(row.dataset.lat), Number(row.dataset.lng));
    const point = map.project(at);
    const near = apart ? null : heaps.find((one) => one.point.distanceTo(point) < CLUSTER_PIXELS);
    if (near) near.push({ row, at });
    else heaps.push(Object.assign([{ row, at }], { point }));
  }
  return heaps;
}

/** Pins at the very same place stand round it, when they stand alone. */
function spread(map) {
  const seen = new Map();
  return ({ at }) => {
    const times = seen.get(`${at}`) ?? 0;
    seen.set(`${at}`, times + 1);
    if (!times) return at;
    const turn = (times * Math.PI) / 3;
    const point = map.project(at).add([26 * Math.cos(turn), 26 * Math.sin(turn)]);
    return map.unproject(point);
  };
}

function place(rows, frame, map, layer) {
  layer.clearLayers();
  const beside = spread(map);
  const markers = new Map();
  for (const near of group(rows, map)) {
    const bounds = L.latLngBounds(near.map(({ at }) => at));
    const marker = near.length === 1 ? mark(near[0].row, beside(near[0]), frame) : heap(near.length, bounds, frame, map);
    marker.addTo(layer);
    near.forEach(({ row }) => markers.set(row, marker));
  }
  return markers;
}

/** Who points at a row sees its pin, or the heap that it is in. */
function link(list, markerOf) {
  const mark = (on) => ({ target }) => {
    const row = target.closest?.("[data-shop]");
    if (row) markerOf(row)?.getElement()?.classList.toggle("map-mark--hot", on);
  };
  for (const [event, on] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]]) {
    list.addEventListener(event, mark(on));
  }
}

/** The button that searches what the map shows; it goes when the answer is there, and stays after one that failed. */
function searchable(frame, map, list) {
  const button = frame.querySelector("[data-map-search]");
  let box = windows.recall();
  let wanted = box;
  const search = () => {
    const request = { source: button, target: list, swap: "innerHTML" };
    // The page says by itself that a request failed.
    htmx.ajax("GET", windows.address(button.dataset.url, wanted), request).catch(() => {});
  };
  button.addEventListener("click", () => {
    wanted = windows.seen(map);
    search();
  });
  button.addEventListener("htmx:afterRequest", ({ detail }) => {
    button.hidden = detail.successful;
    if (!detail.successful) return;
    box = wanted;
    windows.keep(box);
  });
  windows.narrow(document.getElementById("shop-filters"), () => box);
  if (box) {
    map.fitBounds(windows.boundsOf(box));
    if (!("boxed" in frame.dataset)) search();
  }
  const offer = () => {
    button.hidden = false;
    frame.dataset.zoom = map.getZoom();
  };
  map.on("dragend zoomend", offer);
  // Arrows move a map that has the focus, and nothing is dragged then.
  map.on("keydown", ({ originalEvent: { key, target } }) => {
    if (key.startsWith("Arrow") && target === map.getContainer()) offer();
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
  let byRow = new Map();
  const draw = () => {
    byRow = place([...list.querySelectorAll("[data-shop]")], frame, map, markers);
    settle(markers);
  };
  map.fitBounds(at.toBounds(2600));
  const settle = rings(map, here);
  L.marker(here, { icon: icon(copy(frame, "data-map-here"), 22, [11, 11]), interactive: false, keyboard: false }).addTo(map);
  L.control.zoom({ zoomInTitle: frame.dataset.zoomIn, zoomOutTitle: frame.dataset.zoomOut }).addTo(map);
  map.on("popupopen", ({ popup }) => popup.getElement().querySelector(".leaflet-popup-close-button")?.setAttribute("aria-label", frame.dataset.close));
  draw();
  map.on("zoomend", draw);
  list.addEventListener("htmx:afterSettle", draw);
  link(list, (row) => byRow.get(row));
  if (cards.areOverMap()) map.attributionControl.setPosition("topleft"); // the cards lie where it stands
  cards.start(frame, list, { map, markerOf: (row) => byRow.get(row), redraw: draw });
  searchable(frame, map, list);
}

export function start(frame) {
  if (!("L" in window)) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const small = "still" in frame.dataset;
  const quiet = { dragging: !small, scrollWheelZoom: !small, zoomControl: false, doubleClickZoom: !small, boxZoom: !small, keyboard: !small, touchZoom: !small };
  const motion = calm ? { zoomAnimation: false, fadeAnimation: false, markerZoomAnimation: false } : {};
  const fixed = { minZoom: 9, maxZoom: 18, trackResize: false };
  const map = L.map(frame.querySelector("[data-map-canvas]"), { ...fixed, ...quiet, ...motion });
  map.attributionControl.setPrefix("");
  // Leaflet looks at the window only; the frame also changes its size later and without it, and was half drawn then.
  new ResizeObserver(() => map.invalidateSize()).observe(map.getContainer());
  const at = L.latLng(Number(frame.dataset.lat), Number(frame.dataset.lng));
  (small ? still : full)(frame, map, at);
  ground(map, frame.dataset.ground ?? "/shops/map/ground/", frame.querySelector("[data-map-bare]"));
}
