// <section data-map data-still data-leaflet data-leaflet-style>: the small map of one place, further down a page.
// Leaflet, a third of the page's bytes, is loaded when the place where the map stands comes near.
import { start as draw } from "./map.js";

const NEAR = "400px";

function load(tag, fields) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(tag), fields, { onload: resolve, onerror: reject });
    // Before our own sheets, which say more than Leaflet's.
    document.head.prepend(element);
  });
}

export function start(frame) {
  const { leaflet, leafletStyle } = frame.dataset;
  const watcher = new IntersectionObserver(async (seen) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    watcher.disconnect();
    await Promise.all([load("script", { src: leaflet }), load("link", { rel: "stylesheet", href: leafletStyle })]);
    draw(frame);
  }, { rootMargin: NEAR });
  watcher.observe(frame);
}
