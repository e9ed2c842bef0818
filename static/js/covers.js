// Chromium's own "lazy" loads three of a phone's screens ahead. Here a picture loads when its cover is in sight, and from
// the first scroll on when it is two screens away. Without scripts css/base.css shows them all.
export const SELECTOR =
  ":is(.shop-card__cover, .note-card__cover, .note-card__author, .hit__media):has(> img[loading=lazy])";
const AHEAD = "200%";
const waiting = new Set();
let observer = null;

function look(margin) {
  observer?.disconnect();
  observer = new IntersectionObserver(show, { rootMargin: margin, scrollMargin: margin });
  for (const cover of waiting) observer.observe(cover);
}

function show(seen) {
  for (const { isIntersecting, target } of seen) {
    if (!isIntersecting) continue;
    observer.unobserve(target);
    waiting.delete(target);
    target.dataset.near = "";
  }
}

export function start(cover) {
  waiting.add(cover);
  observer.observe(cover);
}

look("0px");
/** a[data-near-end]: the end of a list hears "near" a screen ahead, so that what is below it isn't in sight and pushed away. */
const ends = new IntersectionObserver(
  (seen) => {
    for (const { isIntersecting, target } of seen) if (isIntersecting) target.dispatchEvent(new Event("near"));
  },
  { rootMargin: "100% 0px" },
);

export const end = { start: (link) => ends.observe(link) };

addEventListener("scroll", () => look(AHEAD), { capture: true, once: true, passive: true });
