// The composer: photos go up one by one while the words are written; tiles are moved and removed by button or arrow key.
import { announce } from "./announce.js";
import * as preview from "./picture_preview.js";
import { toast } from "./toast.js";

const MAX_PICTURES = 9;
const MOST_BYTES = 10 * 1024 * 1024;
const PREVIEW = 320; // pixels

/** One form: its tiles, and the queue of those that still have to go. */
class Composer {
  constructor(form) {
    this.form = form;
    this.say = form.dataset;
    this.tiles = form.querySelector("[data-tiles]");
    this.add = form.querySelector("[data-add]");
    this.queue = [];
    this.waiting = null;
    for (const tile of this.all()) this.arm(tile);
    this.count();
    form.addEventListener("draft:read", ({ detail }) => (detail.fields.photos = this.kept()));
    form.addEventListener("draft:fill", ({ detail }) => this.fill(detail.fields.photos ?? []));
  }

  /** What of the photos is on the site: {id, url} each. */
  kept() {
    const tiles = this.all().filter((tile) => tile.dataset.state === "kept");
    return tiles.map((tile) => ({
      id: tile.querySelector("[name=photos]").value,
      url: tile.dataset.card ?? tile.querySelector("img")?.getAttribute("src") ?? "",
    }));
  }

  /** Photos of a draft take the place of those that are here. */
  fill(photos) {
    for (const tile of this.all()) tile.remove();
    for (const { id, url } of photos) {
      const tile = this.make();
      this.arm(tile);
      this.settleTile(tile, { id, card_url: url });
      drawn(url, tile.querySelector("[data-frame]")).catch(() => this.lose(tile));
    }
    this.count();
  }

  /** A draft may be older than a photo that no note has taken is kept. */
  lose(tile) {
    tile.remove();
    this.change();
    toast(this.say.lost, "warning");
  }

  change() {
    this.count();
    this.form.dispatchEvent(new Event("draft:changed"));
  }

  make() {
    const tile = this.form.querySelector("[data-tile-template]").content.firstElementChild.cloneNode(true);
    this.tiles.insertBefore(tile, this.add);
    return tile;
  }

  all() {
    return [...this.tiles.querySelectorAll("[data-tile]")];
  }

  count() {
    this.add.hidden = this.all().length >= MAX_PICTURES;
  }

  choose(input) {
    const room = MAX_PICTURES - this.all().length;
    const files = [...input.files];
    // They go by themselves: the form must not send them again.
    input.value = "";
    if (files.length > room) toast(this.say.tooMany, "warning");
    for (const file of files.slice(0, room)) this.take(file);
    this.count();
    this.next();
  }

  take(file) {
    const tile = this.make();
    this.arm(tile, file);
    preview.draw(file, tile.querySelector("[data-frame]"));
    this.queue.push({ tile, file });
  }

  arm(tile, file) {
    tile.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button?.dataset.move) this.move(tile, Number(button.dataset.move), button);
      else if (button?.dataset.remove !== undefined) this.remove(tile);
      else if (button?.dataset.retry !== undefined) this.again(tile, file);
    });
    tile.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.move(tile, step, event.target);
    });
  }

  move(tile, step, focused) {
    const there = this.all();
    const place = there.indexOf(tile) + step;
    if (place < 0 || place >= there.length) return;
    this.tiles.insertBefore(tile, step < 0 ? there[place] : there[place].nextSibling);
    this.change();
    // A button at the end of the row is hidden there: its neighbour keeps the focus.
    focused.focus();
    if (document.activeElement !== focused) tile.querySelector("[data-remove]").focus();
    announce(this.say.moved.replace("{n}", place + 1).replace("{all}", there.length));
  }

  remove(tile) {
    const neighbour = tile.nextElementSibling ?? tile.previousElementSibling;
    this.queue = this.queue.filter((job) => job.tile !== tile);
    tile.xhr?.abort();
    tile.remove();
    this.change();
    (neighbour?.querySelector("[data-remove], input") ?? this.form).focus();
    announce(this.say.removed);
    this.settle();
  }

  again(tile, file) {
    this.show(tile, "waiting");
    this.queue.push({ tile, file });
    this.next();
  }

  next() {
    if (this.sending || !this.queue.length) return this.settle();
    const { tile, file } = this.queue.shift();
    if (file.size > MOST_BYTES) return this.fail(tile, this.say.tooLarge);
    this.sending = true;
    this.show(tile, "sending");
    tile.xhr = this.send(file, {
      progress: (share) => (tile.querySelector("progress").value = share * 100),
      done: (answer) => this.keep(tile, answer),
      failed: (why) => this.fail(tile, why),
    });
  }

  send(file, { progress, done, failed }) {
    const xhr = new XMLHttpRequest();
    const body = new FormData();
    body.append("photo", file);
    xhr.open("POST", this.say.send);
    xhr.responseType = "json";
    xhr.upload.addEventListener("progress", ({ loaded, total }) => progress(loaded / total));
    xhr.addEventListener("load", () => {
      if (xhr.status === 201) done(xhr.response);
      else failed(xhr.status === 413 ? this.say.tooLarge : (xhr.response?.detail ?? this.say.failed));
    });
    for (const name of ["error", "timeout"]) xhr.addEventListener(name, () => failed(this.say.failed));
    xhr.addEventListener("abort", () => this.freed());
    xhr.send(body);
    return xhr;
  }

  keep(tile, answer) {
    this.settleTile(tile, answer);
    forgive(this.form, "photos");
    drawn(answer.card_url, tile.querySelector("[data-frame]")).catch(() => {});
    announce(this.say.sent);
    this.change();
    this.freed();
  }

  settleTile(tile, { id, card_url }) {
    const box = tile.querySelector("[name=photos]");
    box.value = id;
    box.disabled = false;
    box.checked = true;
    tile.dataset.card = card_url;
    this.show(tile, "kept");
  }

  fail(tile, why) {
    this.show(tile, "failed", why);
    announce(why);
    this.freed();
  }

  freed() {
    this.sending = false;
    this.next();
  }

  show(tile, state, why = "") {
    tile.dataset.state = state;
    tile.querySelector("progress").hidden = state === "kept" || state === "failed";
    tile.querySelector("[data-retry]").hidden = state !== "failed";
    const error = tile.querySelector("[data-error]");
    error.textContent = why;
    error.hidden = !why;
  }

  submit(event) {
    if (!this.sending && !this.failed()) return;
    event.preventDefault();
    if (this.failed()) return this.stuck();
    this.waiting = event.submitter;
    this.waiting?.setAttribute("aria-busy", "true");
    toast(this.say.wait);
  }

  failed() {
    return this.tiles.querySelector("[data-state=failed]");
  }

  stuck() {
    toast(this.say.stuck, "error");
    this.failed().querySelector("[data-retry]").focus();
  }

  // Somebody pressed "Publish" while photos were on their way.
  settle() {
    if (this.sending || this.queue.length || !this.waiting) return;
    const button = this.waiting;
    this.waiting = null;
    button.removeAttribute("aria-busy");
    if (this.failed()) this.stuck();
    else this.form.requestSubmit(button);
  }
}

// What the site has kept takes the preview's place once it is there.
async function drawn(url, frame) {
  const image = new Image(PREVIEW, PREVIEW);
  image.alt = "";
  image.src = url;
  await image.decode();
  frame.replaceChildren(image);
}

const WORDS = ["title", "text"]; // one of them is enough

// What the server said about a field is over once the field is mended.
function forgive(form, name) {
  for (const each of WORDS.includes(name) ? WORDS : [name]) {
    const field = form.querySelector(`[name=${each}]`).closest(".field");
    for (const error of field.querySelectorAll(".field__error")) error.replaceChildren();
    for (const wrong of field.querySelectorAll("[aria-invalid]")) wrong.removeAttribute("aria-invalid");
  }
}

// Photos on their way are in no draft, and some browsers keep none: then it asks whether to leave.
function guard(form, composer) {
  // Words may have been written while this module was still on its way.
  const isEdited = [...form.elements].some((one) => one.defaultValue !== undefined && one.value !== one.defaultValue);
  let isUnkept = isEdited || form.querySelector(".field__error") !== null;
  form.addEventListener("input", () => (isUnkept = true));
  form.addEventListener("submit", ({ defaultPrevented }) => (isUnkept &&= defaultPrevented));
  window.addEventListener("beforeunload", (event) => {
    if (isUnkept && !("draftKept" in form.dataset && !composer.sending)) event.preventDefault();
  });
}

export function start(form) {
  const composer = new Composer(form);
  const input = form.querySelector("input[type=file]");
  input.addEventListener("change", () => composer.choose(input));
  // Chosen while this module was still on its way.
  if (input.files.length) composer.choose(input);
  form.addEventListener("submit", (event) => composer.submit(event));
  // Chosen photos are no photos yet.
  form.addEventListener("input", ({ target }) => target === input || forgive(form, target.name));
  guard(form, composer);
}
