// The service worker: when the network is away it answers with the site's own page, on which readers find their
// coupons with the codes, saved shops and drafts. /sw.js is this with RELEASE in front (apps/backoffice/pwa.py).
//
// All that is kept is one page and what that page is made of, in one cache a release. A page that another release
// has made is never put there, and the cache of another release goes when this worker begins: nothing old meets
// something new. Everything else, and every POST, the browser does as without a worker. It also shows what the site
// sends to this browser.
/* global RELEASE */
const CACHE_PREFIX = "savor-offline-";
const CACHE = CACHE_PREFIX + RELEASE.name;
const FRESH = 60_000; // milliseconds for which a reader's page isn't fetched again, unless something has changed
const RETENTION = 30 * 24 * 3600 * 1000; // milliseconds after which a page that nobody could fetch anew is wiped
let wiped = Promise.resolve(); // ends when what a log-in or log-out leaves behind is gone
let epoch = 0; // grows with each fetch and each wipe: an answer that comes after a later one is not kept

const emptyPage = (language) => `${RELEASE.page}?language=${language}`;
const readerOf = (page) => page.headers.get("Savor-Reader");
const ageOf = (page) => Date.now() - Number(page.headers.get("Savor-Kept-At"));

/** The page for offline, of this release and with the time; fails with whatever else comes. */
async function fetchPage(options = {}) {
  const answer = await fetch(RELEASE.page, { cache: "no-store", redirect: "error", ...options });
  if (!answer.ok) throw new Error(answer.statusText);
  if (answer.headers.get("Savor-Release") !== RELEASE.name) {
    registration.update().catch(() => {});
    throw new Error("the site has another release");
  }
  const headers = new Headers(answer.headers);
  headers.set("Savor-Kept-At", Date.now());
  return new Response(await answer.blob(), { headers });
}

async function install() {
  const cache = await caches.open(CACHE);
  await cache.addAll(RELEASE.assets);
  for (const language of RELEASE.languages) {
    const headers = { "Accept-Language": language };
    await cache.put(emptyPage(language), await fetchPage({ credentials: "omit", headers }));
  }
  await cache.put(RELEASE.page, await fetchPage());
  await skipWaiting();
}

async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith(CACHE_PREFIX) && name !== CACHE) await caches.delete(name);
  }
  // The browser asks for a page at once, and doesn't wait for this worker to wake.
  await registration.navigationPreload?.enable();
  await clients.claim();
}

/** The page of the last reader goes, and what was shown to them; what everybody may see is left, in their language. */
async function wipe() {
  epoch += 1;
  for (const shown of await registration.getNotifications()) shown.close();
  const cache = await caches.open(CACHE);
  const kept = await cache.match(RELEASE.page);
  const language = kept?.headers.get("Content-Language") ?? RELEASE.languages[0];
  const empty = await cache.match(emptyPage(language));
  if (empty) await cache.put(RELEASE.page, empty);
  else await cache.delete(RELEASE.page);
}

async function refresh() {
  const begun = (epoch += 1);
  const cache = await caches.open(CACHE);
  const answer = await fetchPage().catch(() => null);
  if (answer && begun === epoch) await cache.put(RELEASE.page, answer);
}

/** A page of the site says who reads it. */
async function follow({ reader, language, isChanged }) {
  const kept = await (await caches.open(CACHE)).match(RELEASE.page);
  const isOthers = !kept || readerOf(kept) !== String(reader);
  if (isOthers) await wipe();
  const isOld = isChanged || !kept || ageOf(kept) > FRESH; // of a person: a visitor's page is the same every day
  if (isOthers || (reader && isOld) || kept.headers.get("Content-Language") !== language) await refresh();
}

async function readKept() {
  await wiped;
  const cache = await caches.open(CACHE);
  const kept = await cache.match(RELEASE.page);
  if (!kept || ageOf(kept) < RETENTION || readerOf(kept) === "0") return kept;
  await wipe();
  return cache.match(RELEASE.page);
}

/** Always from the network; the kept page stands for none that couldn't be reached. */
async function visit(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    const kept = await readKept();
    if (kept) return kept;
    throw error;
  }
}

async function readAsset(request) {
  return (await (await caches.open(CACHE)).match(request)) ?? fetch(request);
}

/** What the site sent by the browser's push service (apps/mailbox/push.py). */
function showNotification({ title, body, tag, url, lang }) {
  return registration.showNotification(title, { body, tag, lang, icon: RELEASE.icon, data: { url } });
}

/** The page that a notification leads to, in a window that is there, or a new one. */
async function openNotification({ data: { url } }) {
  const [window] = await clients.matchAll({ type: "window" });
  const opened = await window?.navigate(url).catch(() => null);
  return opened ? opened.focus() : clients.openWindow(url);
}

const beginsWithOneOf = (path, beginnings) => beginnings.some((beginning) => path.startsWith(beginning));

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("message", (event) => event.waitUntil(follow(event.data)));
addEventListener("push", (event) => event.waitUntil(showNotification(event.data.json())));
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openNotification(event.notification));
});
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin) return;
  const isPage = request.mode === "navigate" && !beginsWithOneOf(pathname, RELEASE.left_alone);
  if (request.method === "POST" && beginsWithOneOf(pathname, RELEASE.log_in_paths)) {
    wiped = wipe().catch(() => {});
    event.waitUntil(wiped);
  }
  if (request.method !== "GET") return;
  if (RELEASE.assets.includes(pathname)) event.respondWith(readAsset(request));
  else if (isPage) event.respondWith(visit(event));
});
