// An open chat: messages arrive on the live stream, older ones are drawn above, and what was seen is told to the site.
// The numbers of a chat are dense: one that is missing between two is asked for.
import { picture } from "./header.js";
import { onLive, onLiveState } from "./live.js";
import { startForm } from "./chat_form.js";
import * as deletedWords from "./deleted_words.js";

const NEAR = 60; // pixels from the newest message that still count as being there
const SEEN_DELAY = 400; // milliseconds
const LOST_DELAY = 4_000; // milliseconds without a stream until the page says so
const POLL = 5_000; // milliseconds between two looks where there is no stream
const SMALL_CHAT = 20; // in a larger one pages don't all ask in the same instant
const SPREAD = 400; // milliseconds

class Chat {
  constructor(root) {
    this.root = root;
    this.id = Number(root.dataset.chat);
    this.me = Number(root.dataset.viewer);
    this.seen = Number(root.dataset.seen);
    this.last = Number(root.dataset.last); // the newest number that the page shows
    this.log = root.querySelector("[data-log]");
    this.list = root.querySelector("[data-messages]");
    this.jump = root.querySelector("[data-jump]");
    this.missed = 0;
    this.isPast = "past" in root.dataset;
  }

  get isAtEnd() {
    // The log is laid out from its end: 0 is the newest message.
    return Math.abs(this.log.scrollTop) < NEAR;
  }

  get isRead() {
    return !this.isPast && document.visibilityState === "visible" && this.isAtEnd;
  }

  find(number) {
    return this.list.querySelector(`#m-${number}`);
  }

  receive({ kind, chat_id: id, message, number }) {
    if (id !== this.id || this.isPast) return;
    if (kind === "message") this.take(message);
    else if (kind === "deleted") this.redraw(number);
    else if (kind === "seen") this.seen = Math.max(this.seen, number);
    else if (kind === "renamed") this.catchUp();
    else if (kind === "left") location.assign("/chats/");
  }

  take(message) {
    if (message.number <= this.last) return;
    // One's own is drawn by the form that sent it, unless another tab did.
    if (message.author?.id === this.me && this.form?.isSending(message.client_id)) return;
    const isPlain = message.kind === "text" && message.text && !message.card && !message.picture;
    const isNext = message.number === this.last + 1 && message.author && message.author.id !== this.me;
    if (isPlain && isNext && !message.text.includes("@") && this.isSameDay(message)) this.draw(message);
    else this.catchUpSoon();
  }

  isSameDay({ created_at: at }) {
    const days = this.list.querySelectorAll("[data-day]");
    return days.length > 0 && days[days.length - 1].dataset.day === this.format(at, "en-CA", { dateStyle: "short" });
  }

  format(at, locale, how) {
    return new Intl.DateTimeFormat(locale, { timeZone: this.root.dataset.zone, ...how }).format(new Date(at));
  }

  draw({ number, author, text, created_at: at }) {
    const template = this.root.querySelector("[data-arrived-template]");
    const item = template.content.firstElementChild.cloneNode(true);
    const before = this.numbered().at(-1);
    item.id = `m-${number}`;
    Object.assign(item.dataset, { number, author: author.id, day: this.format(at, "en-CA", { dateStyle: "short" }) });
    item.classList.toggle("message--first", before?.dataset.author !== String(author.id));
    const avatar = item.querySelector(".message__avatar");
    avatar.href = `/people/${author.id}/`;
    avatar.append(picture(author));
    item.querySelector(".message__author").textContent = author.nickname;
    item.querySelector(".message__author").classList.toggle("sr-only", !("group" in this.root.dataset));
    item.querySelector(".bubble").textContent = text;
    const time = item.querySelector("time");
    time.dateTime = at;
    time.textContent = this.format(at, "en-GB", { hour: "2-digit", minute: "2-digit" });
    item.querySelector("a.message__act").href += number;
    this.add([item]);
  }

  numbered() {
    return [...this.list.querySelectorAll("[data-number]")];
  }

  /** Puts new items where their numbers say; those that are there already stay as they are. */
  add(items) {
    const wasAtEnd = this.isAtEnd;
    let arrived = 0;
    for (const item of items) {
      const number = Number(item.dataset.number ?? NaN);
      if (item.dataset.number && this.find(number)) continue;
      this.place(item, number);
      if (!item.dataset.number) continue;
      this.last = Math.max(this.last, number);
      if (item.dataset.author !== String(this.me)) arrived += 1;
    }
    if (this.list.children.length) this.root.querySelector("[data-empty]")?.remove();
    this.keepOneOfEachDay();
    htmx.process(this.list);
    if (wasAtEnd) this.goToEnd();
    else this.count(arrived);
    this.tellSeen();
  }

  place(item, number) {
    const later = this.numbered().find((each) => Number(each.dataset.number) > number);
    const pending = this.list.querySelector("[data-state]");
    this.list.insertBefore(item, later ?? pending);
  }

  keepOneOfEachDay() {
    const known = new Set();
    for (const line of this.list.querySelectorAll(".messages__day")) {
      if (known.has(line.dataset.day)) line.remove();
      known.add(line.dataset.day);
    }
  }

  count(arrived) {
    this.missed += arrived;
    const words = this.jump.querySelector("[data-jump-words]");
    if (this.missed) words.textContent = this.jump.dataset.wordsNew.replace("{n}", this.missed);
    this.showJump();
  }

  showJump() {
    this.jump.hidden = this.isAtEnd;
    if (!this.isAtEnd) return;
    this.missed = 0;
    this.jump.querySelector("[data-jump-words]").textContent = this.jump.dataset.wordsNewest;
  }

  goToEnd() {
    this.log.scrollTop = 0;
    this.showJump();
  }

  /** What came since the newest message on the page; also after a lost connection. */
  async catchUp() {
    if (this.isPast) return;
    if (this.asking) return (this.askAgain = true);
    this.asking = true;
    this.askAgain = false;
    try {
      const answer = await fetch(`${this.root.dataset.url}?after=${this.last}`, { headers: { "HX-Request": "true" } });
      if (answer.ok) this.add(parse(await answer.text()));
      else if (answer.status === 404 || answer.status === 401) location.reload();
    } catch {
      // The stream, or the next look, tries again.
    } finally {
      this.asking = false;
      if (this.askAgain) this.catchUp();
    }
  }

  catchUpSoon() {
    clearTimeout(this.soon);
    const isLarge = Number(this.root.dataset.members) > SMALL_CHAT;
    this.soon = setTimeout(() => this.catchUp(), isLarge ? Math.random() * SPREAD : 0);
  }

  async redraw(number) {
    const there = this.find(number);
    if (!there) return;
    const path = `${this.root.dataset.url}?after=${number - 1}`;
    const answer = await fetch(path, { headers: { "HX-Request": "true" } }).catch(() => null);
    const item = answer?.ok && parse(await answer.text()).find((each) => each.id === there.id);
    if (item) there.replaceWith(item);
    htmx.process(this.list);
  }

  tellSeen() {
    if (!this.isRead || this.last <= this.seen) return;
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.sendSeen(), SEEN_DELAY);
  }

  async sendSeen() {
    if (!this.isRead || this.last <= this.seen) return;
    const number = this.last;
    const body = new URLSearchParams({ number });
    const answer = await fetch(this.root.dataset.seenUrl, { method: "POST", body, keepalive: true }).catch(() => null);
    if (answer?.ok) this.seen = Math.max(this.seen, number);
  }

  say(state) {
    const banner = this.root.querySelector("[data-banner]");
    clearTimeout(this.losing);
    const words = banner.dataset[navigator.onLine ? state : "offline"];
    const show = () => {
      banner.textContent = words ?? "";
      banner.hidden = !words;
    };
    // A stream ends now and then by itself: its next one stands before anybody would have missed it.
    if (words && navigator.onLine) this.losing = setTimeout(show, LOST_DELAY);
    else show();
    this.state = state;
  }

  poll() {
    if (this.state !== "open" && !document.hidden) this.catchUp();
  }
}

/** The list items of a part of a page. */
function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return [...template.content.querySelectorAll("li:not(.messages__older)")].filter((item) => item.matches("[id], [data-day]"));
}

function listen(chat) {
  onLive("chat", (data) => chat.receive(data));
  onLive("ready", () => chat.catchUp());
  onLive("reset", () => chat.catchUp());
  onLiveState((state) => chat.say(state));
  addEventListener("offline", () => chat.say(chat.state));
  addEventListener("online", () => chat.say(chat.state));
  chat.log.addEventListener("scroll", () => {
    chat.showJump();
    chat.tellSeen();
  }, { passive: true });
  chat.jump.addEventListener("click", () => chat.goToEnd());
  document.addEventListener("visibilitychange", () => chat.tellSeen());
  addEventListener("pagehide", () => chat.sendSeen());
  // Older messages are drawn above: a screen reader isn't told of them as if they had just come.
  chat.list.addEventListener("htmx:beforeSwap", () => chat.log.setAttribute("aria-live", "off"));
  chat.list.addEventListener("htmx:afterSettle", () => {
    chat.keepOneOfEachDay();
    setTimeout(() => chat.log.setAttribute("aria-live", "polite"), 500);
  });
  setInterval(() => chat.poll(), POLL);
}

export function start(root) {
  const chat = new Chat(root);
  const form = root.querySelector("[data-chat-form]");
  if (form && !chat.isPast) chat.form = startForm(form, chat);
  deletedWords.start(chat);
  listen(chat);
  chat.goToEnd();
  chat.tellSeen();
}
