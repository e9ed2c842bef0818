// The sale page's button. The page says what is so for everybody; this adds what is the reader's own (the order, the
// log-in), presses, and follows stock and clock. A state's words are in the page as [data-when]: one of them is shown.
import { announce } from "./announce.js";
import * as clock from "./countdown.js";
import { isOpen } from "./live_parts.js";
import { ask, listen } from "./personal.js";
import * as receipts from "./receipts.js";
import * as tokens from "./request_tokens.js";
import { showUnits } from "./stock.js";
import { toast } from "./toast.js";

const POLL = 2_000; // milliseconds between two looks at the stock where no stream tells of it
const SOLD_OUT_POLL = 5; // only each fifth of them when it is gone
const PATIENCE = 10_000; // milliseconds that an answer may take
const CHECK = 3_000; // milliseconds between two looks at whether an order is recorded
const CHECKS = 10;
const BY_ITSELF = 5; // tries the browser makes after a refusal; then the person decides
const OVER = new Set(["cancelled", "refunded"]);

/** After the next frame; a hidden tab draws none. */
const drawn = () =>
  new Promise((done) => (document.hidden ? done() : requestAnimationFrame(() => setTimeout(done))));

/** One button: what is known, and the state that follows from it. */
class Sale {
  constructor(element) {
    this.element = element;
    this.id = element.dataset.sale;
    this.left = element.querySelector("[data-left]") ? element.querySelector("progress").value : null;
    this.person = undefined; // null: a visitor
    this.order = null; // the one that was just grabbed, or of who can't have another one
    this.settledAt = 0;
    this.daysToGo = 0; // check-ins in a row that the reader lacks
    this.refusal = "";
    this.tries = 0;
    this.looks = 0;
  }

  get isOrdinary() {
    return !this.element.dataset.begins;
  }

  get state() {
    const { begins, ends } = this.element.dataset;
    if (this.sending) return "queueing";
    if (this.order) return this.isNew ? "got" : "have";
    if (this.isOrdinary) return this.person === null ? "login" : "buy";
    if (clock.now() >= Date.parse(ends)) return "ended";
    if (clock.now() < Date.parse(begins)) return "soon";
    if (this.left === 0) return "sold_out";
    if (this.person === null) return "login";
    if (this.daysToGo) return "regulars";
    return this.refusal ? "retry" : "open";
  }

  show() {
    const { state, element } = this;
    this.tellDays();
    if (element.dataset.state === state) return;
    element.dataset.state = state;
    let visible;
    for (const panel of element.querySelectorAll("[data-when]")) {
      panel.hidden = !panel.dataset.when.split(" ").includes(state);
      if (!panel.hidden && panel.dataset.say) visible = panel;
    }
    if (this.isKnown) announce(visible?.dataset.say);
    // Who waited with the keyboard goes on there.
    const hasFocus = element.contains(document.activeElement) || document.activeElement === document.body;
    if (hasFocus && this.isKnown) visible?.querySelector("a, button")?.focus({ preventScroll: true });
  }

  /** How many check-ins the reader lacks, as long as they can still be made. */
  tellDays() {
    const words = this.element.querySelector("[data-days]");
    if (!words) return;
    const { one, many } = words.dataset;
    words.textContent = this.daysToGo === 1 ? one : many.replace("{n}", this.daysToGo);
    words.hidden = !this.daysToGo || !["soon", "regulars"].includes(this.state);
  }

  /** What the site knows of the reader; see personal.js. */
  learn({ person, sale, askedAt }) {
    this.person = person;
    const own = (sale?.orders ?? []).filter(({ status }) => !OVER.has(status));
    const known = own.map(({ id }) => id);
    for (const { id, status } of own) if (status !== "queued") receipts.forget(id);
    // What was asked before a claim doesn't know of it.
    if (askedAt > this.settledAt && !(this.isNew && known.includes(this.order))) this.order = null;
    const isEnough = sale?.order_id && !OVER.has(sale.order_status);
    if (isEnough) this.settle(sale.order_id);
    else if (sale && person && askedAt > this.settledAt) this.bringBack(known);
    this.list(known, { isEnough });
    this.daysToGo = sale?.days_to_go ?? 0;
    this.tellDeadline(sale?.pay_until);
    if (sale && typeof sale.left === "number") this.count(sale.left);
    this.show();
    this.isKnown = true;
  }

  /** The time left to pay, in place of the sale's end. */
  tellDeadline(deadline) {
    const left = Date.parse(deadline) - clock.now();
    this.element.toggleAttribute("data-pays", left > 0);
    if (!(left > 0) || this.deadline === deadline) return;
    this.deadline = deadline;
    for (const shown of this.element.querySelectorAll("[data-pay] > time")) {
      const time = shown.cloneNode();
      time.classList.toggle("countdown--minutes", left < 3_600_000);
      time.dataset.endsAt = deadline;
      shown.replaceWith(time);
      clock.start(time);
      time.addEventListener("countdown:done", () => setTimeout(ask, CHECK));
    }
  }

  /** The reader's orders, where one person may have several, and whether another one is offered beside a new one. */
  list(orders, { isEnough }) {
    const own = this.element.querySelector("[data-own]");
    if (!own) return;
    const link = (order, index) => {
      const item = own.querySelector("template").content.cloneNode(true);
      item.querySelector("a").href = `${this.element.dataset.orders}${order}/`;
      item.querySelector("a").append(` ${index + 1}`);
      return item;
    };
    own.querySelector("ul").replaceChildren(...orders.map(link));
    own.hidden = orders.length === 0;
    this.limit(orders.length);
    const another = this.element.querySelector("[data-another]");
    if (another) another.hidden = Boolean(isEnough) || orders.length === 0;
  }

  /** Of an ordinary voucher one can choose as many as one may have beside those that one has. */
  limit(had) {
    const field = this.element.querySelector("[name=count]");
    if (!field) return;
    // What was bought is there, also when one comes back to this page: the next press is another purchase.
    if (this.had !== undefined && this.had !== had) nameRequest(field.form);
    this.had = had;
    const left = Math.max(1, field.options.length - had);
    for (const option of field.options) option.hidden = option.disabled = Number(option.value) > left;
    if (Number(field.value) > left || !field.value) field.value = String(left);
  }

  /** The one that was just grabbed is among the reader's orders: the button is back for another one. */
  offerAnother() {
    this.order = null;
    this.isNew = false;
    this.show();
  }

  count(left) {
    this.left = left;
    showUnits(this.element, left);
  }

  settle(order) {
    tokens.forget(this.id);
    this.order = order;
    this.settledAt = Date.now();
    for (const link of this.element.querySelectorAll("[data-order-link]")) {
      link.href = `${this.element.dataset.orders}${order}/`;
    }
  }

  async grab() {
    if (this.sending) return;
    if (this.person === null) return location.assign(this.element.dataset.login);
    this.sending = true;
    this.show();
    await drawn();
    const answer = await this.send();
    this.sending = false;
    await this.take(answer);
    this.show();
  }

  async send() {
    try {
      return await fetch(this.element.dataset.claim, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ request_token: tokens.of(this.id) }),
        signal: AbortSignal.timeout(PATIENCE),
      });
    } catch {
      return null; // no network, or no answer in time: whether it was bought is not known
    }
  }

  async take(answer) {
    const body = (await answer?.json().catch(() => null)) ?? {};
    if (answer?.ok && body.order_id) {
      this.isNew = true;
      receipts.keep(body.order_id, this.id, body.receipt);
      setTimeout(() => this.check(CHECKS), CHECK);
      if (this.element.querySelector("[data-another]")) setTimeout(ask, 1);
      return this.settle(body.order_id);
    }
    if (answer?.status === 401) return location.assign(this.element.dataset.login);
    if (!answer || answer.status === 429 || answer.status >= 500) return this.retry(answer, body.detail);
    this.refuse(body);
  }

  /** Whether the order is recorded; until then a server could lose it. */
  check(times) {
    if (!times || !receipts.ofSale(this.id)) return;
    ask();
    setTimeout(() => this.check(times - 1), CHECK);
  }

  /** The site doesn't know the order of a kept receipt. */
  async bringBack(known) {
    const kept = receipts.ofSale(this.id, known);
    if (!kept || this.sending || this.handedIn === kept.order) return;
    this.handedIn = kept.order;
    this.sending = true;
    this.show();
    const body = await receipts.handIn(kept);
    this.sending = false;
    if (body.order_id) this.settle(body.order_id);
    else if (body.code === "order_lost") toast(body.detail, "error");
    this.show();
    // An order that came back may have been cancelled elsewhere.
    if (body.order_id) setTimeout(ask, CHECK);
  }

  /** Nothing was decided: the same claim is made again, after the seconds asked for and a little more at random. */
  retry(answer, detail) {
    const message = this.element.querySelector("[data-message]");
    this.words ??= message.textContent;
    message.textContent = this.refusal = detail ?? this.words;
    const seconds = Number(answer?.headers.get("Retry-After")) || 1;
    const button = this.element.querySelector("form button");
    button.disabled = true;
    setTimeout(() => {
      button.disabled = false;
      if (this.state === "retry" && this.tries++ < BY_ITSELF) this.grab();
    }, (seconds + Math.random()) * 1000);
  }

  /** It was decided against: the next press is another claim. */
  refuse({ code, detail, order_id: order }) {
    tokens.forget(this.id);
    this.refusal = "";
    if (order) return this.settle(order);
    if (code === "sold_out") this.count(0);
    else ask();
    if (detail) toast(detail, "error");
  }

  look() {
    const { element, state } = this;
    const isWaiting = ["open", "login", "retry", "regulars", "sold_out"].includes(state);
    if (document.hidden || !isWaiting || isOpen(element.dataset.live)) return;
    this.looks += 1;
    if (state !== "sold_out" || this.looks % SOLD_OUT_POLL === 0) ask();
  }
}

/** An ordinary voucher's form names its request, so that pressing twice buys once. */
function nameRequest(form) {
  const field = form.elements.request_token;
  field.value = tokens.make();
  field.disabled = false;
}

export function start(element) {
  const sale = new Sale(element);
  listen((part) => sale.learn(part));
  if (sale.isOrdinary) return nameRequest(element.querySelector("form"));
  element.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    sale.grab();
  });
  element.querySelector("[data-another]")?.addEventListener("click", () => sale.offerAnother());
  element.addEventListener("countdown:done", () => sale.show());
  element.addEventListener("live", ({ detail }) => {
    sale.count(detail.left);
    sale.show();
  });
  setInterval(() => sale.look(), POLL);
}
