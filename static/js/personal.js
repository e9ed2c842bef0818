// A page is the same for everybody. This asks for what is the reader's own and fills the places that the page keeps:
//   data-like, data-follow, data-bell, data-save-shop, data-save-note = id   a button whose state the page doesn't know
//   data-saved-shop = id                     a mark on the card of a shop that the reader saved
//   data-for = person | visitor | staff      shown to such readers alone
//   data-owner = "5 7" (and data-staff)      shown to these people (and to staff); data-except = 5: to all but one
//   data-known                               hears "known" when a person reads: htmx fetches what only they have
//   data-sale = id                           the sale page's button: sale.js hears of each answer

const MAX_IDS = 50; // ids of one kind that are asked for at once
const EVERY = 60_000; // milliseconds between two looks at what is new
const BUTTONS = {
  like: ["notes", "liked"],
  follow: ["people", "followed"],
  bell: ["bells", "reminded"],
  saveShop: ["saved_shops", "saved_shops"],
  saveNote: ["saved_notes", "saved_notes"],
  savedShop: ["saved_shops", "saved_shops"], // a mark that shows, no button
};

const KNOWN_BUTTONS =
  "[data-like], [data-follow], [data-bell], [data-save-shop], [data-save-note], [data-saved-shop]";

let part = null; // the last answer
const listeners = [];
let waiting = []; // buttons that it said nothing of
let isQueued = false;
let isUnanswered = false; // the last request failed
let askedAt = 0;

function press(button, isOn) {
  if ("savedShop" in button.dataset) return (button.hidden = !isOn);
  button.setAttribute("aria-pressed", isOn);
  button.value = isOn ? "0" : "1";
  const label = isOn ? button.dataset.labelOn : button.dataset.labelOff;
  if (label) button.setAttribute("aria-label", label);
  if (!button.matches(".btn:not(.save__button)")) return;
  button.classList.toggle("btn--quiet", isOn);
  button.classList.toggle("btn--primary", !isOn);
}

function isFor({ for: kind, owner, staff, except }, person) {
  const isStaff = Boolean(person?.is_staff);
  if (kind) return kind === "visitor" ? !person : Boolean(person) && (kind === "person" || isStaff);
  if (except) return except !== String(person?.id);
  return owner.split(" ").includes(String(person?.id)) || (staff !== undefined && isStaff);
}

function reveal(element) {
  element.hidden = !isFor(element.dataset, part.person);
}

/** htmx asks once for what only a person has: hx-trigger="known". */
function loadForPerson(element) {
  delete element.dataset.known;
  element.dispatchEvent(new Event("known"));
}

const kindsOf = ({ dataset }) => Object.entries(BUTTONS).filter(([kind]) => kind in dataset);

/** The waiting buttons that one request may ask about, whose ids `wanted` gets by parameter; the others wait on. */
function takeButtons(wanted) {
  const [taken, left] = [[], []];
  for (const button of waiting) {
    const named = kindsOf(button).map(([kind, [name]]) => [(wanted[name] ??= new Set()), button.dataset[kind]]);
    const fits = named.every(([ids, id]) => ids.has(id) || ids.size < MAX_IDS);
    if (fits) for (const [ids, id] of named) ids.add(id);
    (fits ? taken : left).push(button);
  }
  waiting = left;
  return taken;
}

function question(wanted) {
  const params = new URLSearchParams();
  const sale = document.querySelector("[data-sale]");
  wanted.bells?.delete(sale?.dataset.sale); // the part "sale" tells of it
  for (const [name, ids] of Object.entries(wanted)) if (ids.size) params.set(name, [...ids].join(","));
  if (sale) params.set("sale", sale.dataset.sale);
  return params;
}

function show(buttons) {
  for (const [kind, [, partName]] of Object.entries(BUTTONS)) {
    const on = new Set(part[partName]?.map(String));
    if (kind === "bell" && part.sale?.reminded) on.add(String(part.sale.voucher_id));
    for (const button of buttons) if (kind in button.dataset) press(button, on.has(button.dataset[kind]));
  }
  document.querySelectorAll("[data-for], [data-owner], [data-except]").forEach(reveal);
  showReader(part);
  hideApart(part.person);
  if (part.person) document.querySelectorAll("[data-known]").forEach(loadForPerson);
  document.documentElement.dataset.reader = part.person ? "person" : "visitor";
  for (const listener of listeners) listener(part);
}

/** A visitor's header is as the page has it, unless it keeps the place of who was logged in on the page before. */
async function showReader({ person, unread }) {
  if (!person && !document.documentElement.classList.contains("returning")) return;
  const header = await import("./header.js");
  header.showPerson(person);
  header.showUnread(unread);
}

function hadApart() {
  try {
    return localStorage.getItem("savor-apart") !== null;
  } catch {
    return false;
  }
}

/** Few readers blocked somebody: the module comes for them alone. */
async function hideApart(person) {
  if (!person?.blocked?.length && !person?.blocked_by?.length && !hadApart()) return;
  (await import("./apart.js")).apply(person);
}

/** Asks for the reader's part of this page, and shows it. A failure is silent: the page stays as everybody's until the
 * network is back, or the next look. */
export async function ask() {
  const wanted = {};
  const buttons = takeButtons(wanted);
  const sentAt = (askedAt = Date.now());
  isQueued = false;
  try {
    const answer = await fetch(`/api/me/page?${question(wanted)}`);
    if (!answer.ok) throw new Error(answer.statusText);
    part = { ...(await answer.json()), askedAt: sentAt, answeredAt: Date.now() };
    isUnanswered = false;
    show(buttons);
    if (waiting.length) askSoon();
  } catch {
    waiting.push(...buttons);
    isUnanswered = true;
    if (!part) showReader({ person: null });
  }
}

function askSoon() {
  if (!isQueued) queueMicrotask(ask);
  isQueued = true;
}

function look() {
  const isDue = part?.person || isUnanswered;
  if (isDue && !document.hidden && Date.now() - askedAt >= EVERY) ask();
}

/** Calls `listener` with each answer, and at once with the last one. */
export function listen(listener) {
  listeners.push(listener);
  if (part) listener(part);
}

const isButton = (element) => kindsOf(element).length > 0;

export function start(element) {
  if (isButton(element)) {
    // Without scripts it turns what there was; with them it does what its words say.
    element.value = "1";
    waiting.push(element);
  }
  if (isButton(element) || "who" in element.dataset) askSoon();
  else if (part) reveal(element);
}

if (hadApart()) import("./apart.js").then((apart) => apart.recall());
setInterval(look, EVERY);
document.addEventListener("visibilitychange", look);
addEventListener("online", () => isUnanswered && askSoon());
// The back button may bring a page from memory that was filled for somebody who has logged out since.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  waiting = [...document.querySelectorAll(KNOWN_BUTTONS)];
  askSoon();
});
