// Server-sent events for [data-live="URL"]: a stock (sale.js shows it) or an order (htmx asks for its next state).
// A person hears of both on the stream that all their tabs share; a visitor's page has a stream for its URL, however
// often htmx draws the element anew. The element hears of each change as an event "live"; while the stream stands, the
// element's own asking by the clock rests.
import * as live from "./live.js";
import { ask, listen } from "./personal.js";

const sources = new Map(); // of a visitor, by URL
let isPerson = null;

const elementsFor = (url) => [...document.querySelectorAll("[data-live]")].filter((it) => it.dataset.live === url);

export const isOpen = (url) => (isPerson && live.isOpen()) || sources.get(url)?.readyState === EventSource.OPEN;

function notify(url, data) {
  const elements = elementsFor(url);
  if (!elements.length) close(url);
  for (const element of elements) {
    if ("status" in data && element.dataset.orderState === data.status) continue;
    const event = new CustomEvent("live", { detail: data });
    // An order's page asks for its next state: hundreds who wait do not all ask in one instant.
    if ("left" in data) element.dispatchEvent(event);
    else setTimeout(() => element.isConnected && element.dispatchEvent(event), Math.random() * 300);
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
  source.addEventListener("message", ({ data }) => notify(url, JSON.parse(data)));
}

function follow(url) {
  if (!isPerson || !document.body.dataset.streams) return open(url);
  close(url);
  const [, sale] = url.match(/vouchers\/(\d+)\/stock$/) ?? [];
  if (sale) live.watchSale(Number(sale));
}

function followAll() {
  for (const element of document.querySelectorAll("[data-live]")) follow(element.dataset.live);
}

/** A poll has no event of its own: it rests while the stream tells everything. */
function rest(event) {
  const { elt, triggeringEvent } = event.detail.requestConfig;
  if (elt === event.currentTarget && !triggeringEvent && isOpen(elt.dataset.live)) event.preventDefault();
}

export function start(element) {
  element.addEventListener("htmx:beforeRequest", rest);
  if (isPerson !== null) follow(element.dataset.live);
}

/** Something may have been missed: what is shown is asked for anew. */
function lookAgain() {
  if (document.querySelector("[data-sale][data-live]")) ask();
  for (const element of document.querySelectorAll("[data-live][data-order-state]")) notify(element.dataset.live, { status: "" });
}

live.onLive("ready", lookAgain);
live.onLive("reset", lookAgain);
live.onLive("stock", ({ sale, left }) => notify(`/api/vouchers/${sale}/stock`, { left }));
// A coupon that was given away has another page and the same status.
live.onLive("order", ({ id, status, given }) => notify(`/api/orders/${id}`, { status: given ? "" : status }));
listen(({ person }) => {
  if (isPerson === Boolean(person)) return;
  isPerson = Boolean(person);
  followAll();
});
// A page that the back button brings from memory opens its streams again; one that goes there must not hold any.
addEventListener("pagehide", () => [...sources.keys()].forEach(close));
addEventListener("pageshow", ({ persisted }) => persisted && isPerson === false && followAll());
