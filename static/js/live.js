// One stream of server-sent events for all of a person's tabs. The tab that holds the lock keeps the connection and
// passes each event on; when that tab closes, another one gets the lock. Without locks each tab has its own connection.
//   onLive("chat", (data) => …)   hears of each event of that name; returns a function that ends it
//   onLive("ready", () => …)      from here on nothing is missed; what came before it may be: ask what is new
//   onLive("reset", () => …)      the history in between is gone: load the state anew
//   onLiveState((state) => …)     "open", "reconnecting" or "offline"; "closed" where there is no stream
//   watchSale(id)                 has the events "stock" of a sale sent too
import { listen } from "./personal.js";

const PATH = document.body.dataset.streams; // missing where the server has none
const EVENTS = ["ready", "reset", "chat", "mailbox", "order", "stock"];
const MIN_WAIT = 5_000; // milliseconds until a refused stream is asked for again, and as much again at random
const MAX_WAIT = 60_000;
const MAX_SALES = 10; // the server refuses more

const handlers = new Map(EVENTS.map((name) => [name, new Set()]));
const stateHandlers = new Set();
const ownSales = new Set(); // that this tab shows
let sales = []; // that the connection carries, for whichever tab
let state = "closed";
let personId = null;
let source = null; // the connection, in the tab that keeps it
let channel = null;
let releaseLock = null;
let failures = 0;
let timer = 0;

function publish(name, data) {
  for (const listener of handlers.get(name)) listener(data);
}

function show(next) {
  if (state === next) return;
  state = next;
  for (const listener of stateHandlers) listener(state);
}

function share(words) {
  channel?.postMessage(words);
}

function moveTo(next) {
  show(next);
  share({ state: next });
}

/** What a tab hears of another: an event, the connection's state, or what it wants of the one that keeps it. */
function receive({ data: words }) {
  if (words.name) publish(words.name, words.data);
  if (words.state) show(words.state);
  if (words.sales && source) carry(words.sales);
  if (words.hello && source) share({ state, ...(state === "open" && { name: "ready", data: {} }) });
  if (words.who && ownSales.size) share({ sales: [...ownSales] });
}

function carry(wanted) {
  const missing = wanted.filter((id) => !sales.includes(id));
  if (!missing.length) return;
  sales = [...sales, ...missing].slice(-MAX_SALES);
  connect();
}

function disconnect() {
  clearTimeout(timer);
  source?.close();
  source = null;
}

/** The browser repeats a lost connection by itself; a refused one is asked for again here, not by all at once. */
function lose() {
  moveTo(navigator.onLine ? "reconnecting" : "offline");
  if (source.readyState !== EventSource.CLOSED) return;
  const wait = Math.min(MAX_WAIT, MIN_WAIT * 2 ** failures++);
  clearTimeout(timer);
  timer = setTimeout(connect, wait * (1 + Math.random()));
}

function connect() {
  disconnect();
  source = new EventSource(sales.length ? `${PATH}?sales=${sales.join(",")}` : PATH);
  source.addEventListener("error", lose);
  for (const name of EVENTS) source.addEventListener(name, ({ data }) => pass(name, JSON.parse(data || "{}")));
}

function pass(name, data) {
  if (name === "ready") {
    failures = 0;
    moveTo("open");
  }
  share({ name, data });
  publish(name, data);
}

function keepConnection() {
  sales = [...ownSales];
  connect();
  share({ who: true });
}

function takeTurn() {
  if (!navigator.locks || !("BroadcastChannel" in window)) return keepConnection();
  channel = new BroadcastChannel(`savor-live-${personId}`);
  channel.addEventListener("message", receive);
  share({ hello: true, sales: [...ownSales] });
  const leaving = new AbortController();
  releaseLock = () => leaving.abort();
  const { signal } = leaving;
  const hold = () => {
    keepConnection();
    return new Promise((resolve) => (releaseLock = resolve));
  };
  navigator.locks.request(`savor-live-${personId}`, { signal }, hold).catch(() => {}); // the page was left
}

function end() {
  personId = null;
  disconnect();
  releaseLock?.();
  channel?.close();
  releaseLock = channel = null;
  show("closed");
}

export function onLive(name, listener) {
  handlers.get(name).add(listener);
  return () => handlers.get(name).delete(listener);
}

export function onLiveState(listener) {
  stateHandlers.add(listener);
  listener(state);
}

export const isOpen = () => state === "open";

export function watchSale(id) {
  ownSales.add(id);
  if (source) carry([id]);
  else share({ sales: [id] });
}

listen(({ person }) => {
  const id = person?.id ?? null;
  if (!PATH || id === personId) return;
  if (personId !== null) end();
  personId = id;
  if (id !== null) takeTurn();
});
// The old connection may be dead without anybody having been told.
addEventListener("online", () => source && connect());
addEventListener("offline", () => source && moveTo("offline"));
// A page that the back button brings from memory holds neither lock nor connection: personal.js asks anew there.
addEventListener("pagehide", end);
