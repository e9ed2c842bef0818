// The page of a closed site: asks now and then whether the site is open, and then loads itself again.
const MIN_PAUSE = 10_000;
const MAX_PAUSE = 20_000;

// Spread, so that not all come back in the same moment.
const pause = () => MIN_PAUSE + Math.random() * (MAX_PAUSE - MIN_PAUSE);

async function look() {
  try {
    const { ok, status } = await fetch(location.pathname + location.search, { method: "HEAD", cache: "no-store" });
    // An address that takes forms only has no page to come back to.
    if (ok || status === 404 || status === 405) {
      location.replace(ok ? location.pathname + location.search : "/");
      return;
    }
  } catch {
    // Offline: the next look may succeed.
  }
  setTimeout(look, pause());
}
setTimeout(look, pause());
