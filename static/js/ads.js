// Fills the boxes that pages keep for ads (data-ad = the query of GET /api/ads), and tells the server what was seen:
// half of the box for one second. A click is counted by the link itself.
const NEAR = "800px"; // asked for when it is so far below the window
const SEEN = { share: 0.5, milliseconds: 1_000 };
const TICKETS = "savor-ads"; // shop -> {ticket, at}: the ads this browser followed
const ACTION_WINDOW = 7 * 24 * 3_600_000; // milliseconds

const send = (ticket, what) =>
  fetch(`/api/ads/${encodeURIComponent(ticket)}/${what}`, { method: "POST", keepalive: true });

function followed() {
  try {
    const kept = JSON.parse(localStorage.getItem(TICKETS) ?? "{}");
    return Object.fromEntries(Object.entries(kept).filter(([, { at }]) => Date.now() - at < ACTION_WINDOW));
  } catch {
    return {}; // storage is forbidden, or holds nonsense
  }
}

function keep(tickets) {
  try {
    localStorage.setItem(TICKETS, JSON.stringify(tickets));
  } catch {
    // Then the order is nobody's merit.
  }
}

/** Calls `then` once, when a share of the element has been inside the margin for some milliseconds. */
function whenInside(element, { margin = "0px", share = 0, milliseconds = 0 }, then) {
  let timer = 0;
  const options = { rootMargin: `0px 0px ${margin} 0px`, threshold: share };
  const observer = new IntersectionObserver((entries) => {
    clearTimeout(timer);
    const entry = entries.at(-1);
    if (!entry.isIntersecting || entry.intersectionRatio < share) return;
    timer = setTimeout(() => {
      observer.disconnect();
      then();
    }, milliseconds);
  }, options);
  observer.observe(element);
}

/** A hidden tab shows nothing: the second begins anew when the reader comes back. */
function countView(element, ticket) {
  whenInside(element, SEEN, () => {
    if (!document.hidden) send(ticket, "view").catch(() => {});
    else document.addEventListener("visibilitychange", () => countView(element, ticket), { once: true });
  });
}

/** Takes the box away where nobody sees it: below the window. One that is in sight stays, empty. */
function takeAway(slot) {
  const observer = new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting || entry.boundingClientRect.top < innerHeight) return;
    observer.disconnect();
    slot.dataset.empty = "";
  });
  observer.observe(slot);
}

function write(element, text, language) {
  element.textContent = text;
  if (language) element.lang = language;
}

function draw(slot, { ad }) {
  const [card, thanks, trouble] = slot.querySelector("template").content.cloneNode(true).children;
  const find = (name) => card.querySelector(`.ad__${name}`);
  write(find("advertiser"), ad.advertiser, ad.advertiser_language);
  write(find("link"), ad.title, ad.title_language);
  write(find("text"), ad.text, ad.text_language);
  write(find("reason"), ad.why);
  find("link").href = ad.url;
  if (ad.picture) Object.assign(find("picture"), { src: ad.picture, hidden: false });
  slot.append(card);
  return { card, thanks, trouble };
}

function explain(card) {
  const [tool, why] = [card.querySelector(".ad__tool"), card.querySelector(".ad__why")];
  const open = (isOpen) => {
    why.hidden = !isOpen;
    tool.setAttribute("aria-expanded", isOpen);
    (isOpen ? why.querySelector(".ad__reason") : tool).focus();
  };
  tool.addEventListener("click", () => open(true));
  why.querySelector("[data-ad-back]").addEventListener("click", () => open(false));
  why.addEventListener("keydown", ({ key }) => key === "Escape" && open(false));
}

async function hide({ card, thanks, trouble }, ticket) {
  const answer = await send(ticket, "hide").catch(() => null);
  const words = answer?.ok ? thanks : trouble;
  card.replaceWith(words);
  words.focus();
}

function show(slot, answer) {
  const parts = draw(slot, answer);
  const remember = () => keep({ ...followed(), [answer.ad.shop_id]: { ticket: answer.ticket, at: Date.now() } });
  for (const name of ["click", "auxclick"]) parts.card.querySelector("a").addEventListener(name, remember);
  parts.card.querySelector("[data-ad-hide]").addEventListener("click", () => hide(parts, answer.ticket));
  explain(parts.card);
  countView(parts.card, answer.ticket);
}

async function fill(slot) {
  try {
    const answer = await fetch(`/api/ads?${slot.dataset.ad}`);
    if (answer.status === 200) return show(slot, await answer.json());
  } catch {
    // No ad is no trouble for a reader.
  }
  takeAway(slot);
}

/** A paid order of a shop whose ad this browser followed: the server checks both. */
async function act(element) {
  const { [element.dataset.paidShop]: found, ...others } = followed();
  if (!found) return;
  const answer = await send(found.ticket, "action").catch(() => null);
  if (answer && answer.status < 500 && answer.status !== 429) keep(others);
}

export function start(element) {
  if ("paidShop" in element.dataset) act(element);
  else whenInside(element, { margin: NEAR }, () => fill(element));
}
