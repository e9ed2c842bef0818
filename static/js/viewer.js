// Shows the photos of a [data-photos] group over the whole window. Imported at the first press on a photo (app.js);
// until then, and without scripts, each a[data-photo] leads to its file.
import * as personal from "./personal.js";
import { loadStyle } from "./styles.js";

const MAX_SCALE = 4; // of a strip more
const DOUBLE = 2.5; // scale after a double tap
const SWIPE = 50; // pixels that turn to the next photo, or close
const TAP = 300; // milliseconds between the taps of a double tap
const between = (low, value, high) => Math.min(Math.max(value, low), high);

/** One photo under fingers, mouse and wheel: how large it is, and where. */
class Stage {
  constructor(element, turn, close) {
    Object.assign(this, { element, turn, close, points: new Map(), tapped: 0 });
    this.image = element.querySelector("img");
    this.reset();
    for (const name of ["down", "move", "up", "cancel"])
      element.addEventListener(`pointer${name}`, (event) => this[name](event));
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.image.addEventListener("dragstart", (event) => event.preventDefault());
  }

  reset() {
    Object.assign(this, { scale: 1, x: 0, y: 0 });
    this.draw();
  }

  draw() {
    this.image.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
    this.element.classList.toggle("viewer__stage--zoomed", this.scale > 1);
  }

  // How large it may become: a long strip until it fills the window from side to side, twice.
  most() {
    const { naturalWidth: width, naturalHeight: height, offsetWidth, offsetHeight } = this.image;
    const widthNow = Math.min(offsetWidth, (offsetHeight * width) / height) || innerWidth;
    return Math.max(MAX_SCALE, (2 * innerWidth) / widthNow);
  }

  // The point of the photo under (x, y) of the window stays there.
  zoom(scale, x = innerWidth / 2, y = innerHeight / 2) {
    const next = between(1, scale, this.most());
    const box = this.element.getBoundingClientRect();
    const [left, top] = [x - box.left - box.width / 2, y - box.top - box.height / 2];
    this.x = left - ((left - this.x) * next) / this.scale;
    this.y = top - ((top - this.y) * next) / this.scale;
    this.scale = next;
    this.keepInside();
  }

  keepInside() {
    const [width, height] = [this.image.offsetWidth * this.scale, this.image.offsetHeight * this.scale];
    const [roomX, roomY] = [Math.max(0, width - innerWidth) / 2, Math.max(0, height - innerHeight) / 2];
    this.x = between(-roomX, this.x, roomX);
    this.y = between(-roomY, this.y, roomY);
    this.draw();
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(this.scale * 1.0015 ** -event.deltaY, event.clientX, event.clientY);
  }

  down(event) {
    if (event.button) return;
    this.element.setPointerCapture(event.pointerId);
    this.points.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.points.size === 1) Object.assign(this, { startX: event.clientX, startY: event.clientY, pinched: false });
  }

  move(event) {
    const last = this.points.get(event.pointerId);
    if (!last) return;
    const before = this.spread();
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    Object.assign(last, { x: event.clientX, y: event.clientY });
    const after = this.spread();
    if (this.points.size === 2) {
      this.pinched = true;
      this.zoom((this.scale * after.length) / before.length, after.x, after.y);
    } else if (this.scale > 1) {
      this.x += dx;
      this.y += dy;
      this.keepInside();
    } else if (!this.pinched) {
      this.x += dx;
      this.draw();
    }
  }

  // How far apart two fingers are, and the middle between them.
  spread() {
    const [a, b = a] = this.points.values();
    return { length: Math.hypot(a.x - b.x, a.y - b.y) || 1, x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  }

  up(event) {
    if (!this.points.delete(event.pointerId) || this.points.size) return;
    const [dx, dy] = [event.clientX - this.startX, event.clientY - this.startY];
    if (this.pinched || this.scale > 1) this.tap(event, dx, dy);
    else if (Math.abs(dx) > SWIPE && Math.abs(dx) > Math.abs(dy)) this.turn(dx < 0 ? 1 : -1);
    else if (dy > 2 * SWIPE && event.pointerType === "touch") this.close();
    else this.tap(event, dx, dy);
    if (this.scale === 1) this.reset();
  }

  cancel(event) {
    this.points.delete(event.pointerId);
    if (this.scale === 1) this.reset();
  }

  tap(event, dx, dy) {
    if (this.pinched || Math.hypot(dx, dy) > 10) return;
    const again = event.timeStamp - this.tapped < TAP;
    this.tapped = again ? 0 : event.timeStamp;
    if (again) this.zoom(this.scale > 1 ? 1 : Math.max(DOUBLE, this.most() / 2), event.clientX, event.clientY);
  }
}

/** The dialog over the page: the photos of a group, one at a time. */
class Viewer {
  constructor(group, link) {
    this.say = group.dataset;
    this.links = [...group.querySelectorAll("a[data-photo]")];
    this.from = link;
    this.dialog = document.createElement("dialog");
    this.dialog.className = "viewer";
    this.dialog.setAttribute("aria-label", this.say.label);
    this.build();
    this.stage = new Stage(this.part("stage"), (step) => this.show(this.at + step), () => this.leave());
    this.listen();
  }

  part(name) {
    return this.dialog.querySelector(`.viewer__${name}`);
  }

  build() {
    const elements = [
      ["div", "stage"],
      ["p", "count"],
      ["button", "close", this.say.close, "close"],
      ["button", "previous", this.say.previous, "back"],
      ["button", "next", this.say.next, "next"],
      ["div", "caption"],
      ["p", "status"],
    ];
    for (const [tag, name, label, symbol] of elements) {
      const element = document.createElement(tag);
      element.className = `viewer__${name}`;
      if (label) element.setAttribute("aria-label", label);
      if (tag === "button") element.type = "button";
      if (symbol) element.append(this.icon(symbol));
      this.dialog.append(element);
    }
    this.part("stage").append(document.createElement("img"));
    this.part("count").setAttribute("aria-hidden", "true");
    this.part("status").className += " sr-only";
    this.part("status").setAttribute("aria-live", "polite");
  }

  icon(symbol) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    svg.classList.add("icon");
    svg.setAttribute("aria-hidden", "true");
    use.setAttribute("href", `${this.say.icons}#${symbol}`);
    svg.append(use);
    return svg;
  }

  listen() {
    this.part("close").addEventListener("click", () => this.leave());
    this.part("previous").addEventListener("click", () => this.show(this.at - 1));
    this.part("next").addEventListener("click", () => this.show(this.at + 1));
    this.dialog.addEventListener("keydown", (event) => this.press(event));
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.leave();
    });
    this.back = () => this.end();
    addEventListener("popstate", this.back);
  }

  press(event) {
    const last = this.links.length - 1;
    const jump = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: last }[event.key];
    const factor = { "+": 1.5, "=": 1.5, "-": 1 / 1.5 }[event.key];
    if (jump === undefined && !factor) return;
    event.preventDefault();
    if (factor) this.stage.zoom(this.stage.scale * factor);
    else this.show(jump);
  }

  show(index) {
    const count = this.links.length;
    this.stage.reset();
    if (index < 0 || index >= count) return;
    this.at = index;
    const link = this.links[index];
    const number = this.say.number.replace("{n}", index + 1).replace("{all}", count);
    this.stage.image.src = link.href;
    this.stage.image.width = link.dataset.width;
    this.stage.image.height = link.dataset.height;
    this.stage.image.alt = link.dataset.caption ? `${number}: ${link.dataset.caption}` : number;
    this.part("count").textContent = count > 1 ? `${index + 1}/${count}` : "";
    this.part("status").textContent = this.stage.image.alt;
    this.part("previous").hidden = index === 0;
    this.part("next").hidden = index === count - 1;
    this.caption(link);
    if (index + 1 < count) new Image().src = this.links[index + 1].href;
    if (!this.dialog.contains(document.activeElement) || document.activeElement.hidden) this.part("close").focus();
  }

  caption(link) {
    const parts = [];
    if (link.dataset.caption || link.dataset.note) {
      const words = document.createElement(link.dataset.note ? "a" : "span");
      if (link.dataset.note) words.href = link.dataset.note;
      if (link.lang) words.lang = link.lang;
      words.textContent = [link.dataset.caption || this.say.from, link.dataset.author].filter(Boolean).join(" · ");
      parts.push(words);
    }
    // Whose photo it is decides, as soon as it is known who reads.
    if (link.dataset.report && ![undefined, link.dataset.ownedBy].includes(this.reader)) {
      parts.push(this.more(link.dataset.report));
    }
    this.part("caption").replaceChildren(...parts);
  }

  // "…" that opens the way to the report.
  more(url) {
    const [menu, summary, report] = ["details", "summary", "a"].map((tag) => document.createElement(tag));
    menu.className = "viewer__more";
    summary.setAttribute("aria-label", this.say.more);
    summary.append(this.icon("more"));
    report.href = url;
    report.textContent = this.say.report;
    menu.append(summary, report);
    return menu;
  }

  open() {
    personal.listen(({ person }) => {
      this.reader = String(person?.id ?? "");
      if (this.at !== undefined) this.caption(this.links[this.at]);
    });
    document.body.append(this.dialog);
    this.dialog.showModal();
    history.pushState({ viewer: true }, "");
    this.show(this.links.indexOf(this.from));
    this.part("close").focus();
  }

  // The way back is the browser's own: its button closes the viewer too.
  leave() {
    history.back();
  }

  end() {
    removeEventListener("popstate", this.back);
    const link = this.links[this.at];
    this.dialog.close();
    this.dialog.remove();
    (link?.checkVisibility?.() ? link : this.from).focus();
  }
}

/** Show the group of a pressed photo, beginning with it. */
export async function open(link) {
  const group = link.closest("[data-photos]");
  await loadStyle(group.dataset.style);
  new Viewer(group, link).open();
}
