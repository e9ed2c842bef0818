// The composer: photos go up one by one while the words are written; tiles are moved and removed by button or arrow key.
// Until a photo is on the site its file is kept with the draft.
import { announce } from "./announce.js";
import * as files from "./kept_files.js";
import * as preview from "./picture_preview.js";
import { toast } from "./toast.js";

const MAX_PICTURES = 9;
const MOST_BYTES = 10 * 1024 * 1024;
const PREVIEW = 320; // pixels
const TRIES = 5; // of a photo, while the site draws another one of its person
const LONGEST_WAIT = 10; // seconds between two of them; who is told to wait longer reads why

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
    form.addEventListener("draft:fill", () => this.unfoldScores());
    form.addEventListener("draft:read", ({ detail }) => {
      const tiles = this.all().filter((tile) => !detail.isAsCame || !tile.unsent);
      detail.fields.photos = tiles.map(describe);
    });
    form.addEventListener("draft:fill", ({ detail }) => detail.fields.photos && this.fill(detail.fields.photos));
    form.addEventListener("draft:kept", ({ detail }) => this.keepFiles(detail.key));
    addEventListener("online", () => this.sendAgain());
  }

  /** What a draft scored is in view. */
  unfoldScores() {
    const scores = this.form.querySelector("[data-scores]");
    scores.open ||= [...scores.querySelectorAll("input:checked")].some((score) => score.value);
  }

  /** Photos of a draft take the place of those that are here. */
  fill(photos) {
    this.queue = [];
    for (const tile of this.all()) {
      tile.xhr?.abort();
      tile.remove();
    }
    for (const photo of photos) {
      const tile = this.make();
      this.arm(tile);
      if (photo.file) this.takeKept(tile, photo);
      else {
        this.settleTile(tile, { id: photo.id, card_url: photo.url });
        drawn(photo.url, tile.querySelector("[data-frame]")).catch(() => this.lose(tile));
      }
    }
    this.count();
  }

  /** A file that the draft names goes up now; one that this browser has no more is named, and asked for. */
  async takeKept(tile, photo) {
    tile.unsent = photo;
    const file = await files.load(photo.file);
    if (!tile.isConnected) return;
    if (file) this.hold(tile, file);
    else this.blame(tile, this.say.missing.replace("{name}", photo.name));
    this.change();
    this.next();
  }

  /** What of the draft is in no other place; too large a photo will never be on the site. */
  async keepFiles(draft) {
    for (const tile of this.all()) {
      if (!tile.file || !tile.unsent || tile.file.size > MOST_BYTES) continue;
      tile.isSafe = await files.keep(draft, tile.file);
    }
  }

  /** The line is back. */
  sendAgain() {
    for (const tile of this.all()) if (tile.isCutOff) this.again(tile);
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
    const chosen = [...input.files];
    // They go by themselves: the form must not send them again.
    input.value = "";
    if (chosen.length > room) toast(this.say.tooMany, "warning");
    for (const file of chosen.slice(0, room)) {
      const tile = this.make();
      this.arm(tile);
      this.hold(tile, file);
    }
    this.change();
    this.next();
  }

  /** A tile has its file, which waits for its turn. */
  hold(tile, file) {
    tile.file = file;
    tile.unsent = { file: files.idOf(file), name: file.name };
    preview.draw(file, tile.querySelector("[data-frame]"));
    this.queue.push(tile);
  }

  arm(tile) {
    tile.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button?.dataset.move) this.move(tile, Number(button.dataset.move), button);
      else if (button?.dataset.remove !== undefined) this.remove(tile);
      else if (button?.dataset.retry !== undefined) this.again(tile);
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
    this.queue = this.queue.filter((waiting) => waiting !== tile);
    tile.xhr?.abort();
    if (tile.unsent) files.drop(tile.unsent.file);
    tile.remove();
    this.change();
    (neighbour?.querySelector("[data-remove], input") ?? this.form).focus();
    announce(this.say.removed);
    this.settle();
  }

  again(tile) {
    tile.tries = 0;
    this.show(tile, "waiting");
    this.queue.push(tile);
    this.next();
  }

  next() {
    if (this.sending || !this.queue.length) return this.settle();
    const tile = this.queue.shift();
    if (tile.file.size > MOST_BYTES) return this.fail(tile, this.say.tooLarge);
    this.sending = true;
    this.show(tile, "sending");
    tile.xhr = this.send(tile.file, {
      progress: (share) => (tile.querySelector("progress").value = share * 100),
      done: (answer) => this.keep(tile, answer),
      failed: (why, { isCutOff, seconds }) => (this.mayWait(tile, seconds) ? this.wait(tile, seconds) : this.fail(tile, why, isCutOff)),
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
      else {
        const seconds = Number(xhr.getResponseHeader("Retry-After"));
        failed(xhr.status === 413 ? this.say.tooLarge : (xhr.response?.detail ?? this.say.failed), { seconds });
      }
    });
    for (const name of ["error", "timeout"]) xhr.addEventListener(name, () => failed(this.say.failed, { isCutOff: true }));
    xhr.addEventListener("abort", () => this.freed());
    xhr.send(body);
    return xhr;
  }

  mayWait(tile, seconds) {
    tile.tries = (tile.tries ?? 0) + 1;
    return seconds > 0 && seconds <= LONGEST_WAIT && tile.tries < TRIES;
  }

  /** Another photo of this person is being drawn, perhaps one that a page sent before it was left. */
  wait(tile, seconds) {
    this.show(tile, "waiting");
    setTimeout(() => {
      if (tile.isConnected) this.queue.unshift(tile);
      this.freed();
    }, seconds * 1000);
  }

  keep(tile, answer) {
    files.drop(tile.unsent.file);
    tile.unsent = null;
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

  fail(tile, why, isCutOff = false) {
    this.blame(tile, why);
    tile.isCutOff = isCutOff;
    this.freed();
  }

  blame(tile, why) {
    this.show(tile, "failed", why);
    announce(why);
  }

  /** Whether a reload loses nothing. */
  isSafe() {
    return this.all().every((tile) => !tile.unsent || tile.isSafe);
  }

  freed() {
    this.sending = false;
    this.next();
  }

  show(tile, state, why = "") {
    tile.dataset.state = state;
    tile.isCutOff = false;
    tile.querySelector("progress").hidden = state === "kept" || state === "failed";
    tile.querySelector("[data-retry]").hidden = state !== "failed" || !tile.file;
    const error = tile.querySelector("[data-error]");
    error.textContent = why;
    error.hidden = !why;
  }

  submit(event) {
    if (!this.isBusy() && !this.failed()) return;
    event.preventDefault();
    if (this.failed()) return this.stuck();
    this.waiting = event.submitter;
    this.waiting?.setAttribute("aria-busy", "true");
    toast(this.say.wait);
  }

  isBusy() {
    return this.all().some((tile) => ["waiting", "sending"].includes(tile.dataset.state));
  }

  failed() {
    return this.tiles.querySelector("[data-state=failed]");
  }

  stuck() {
    toast(this.say.stuck, "error");
    const tile = this.failed();
    tile.querySelector(tile.file ? "[data-retry]" : "[data-remove]").focus();
  }

  // Somebody pressed "Publish" while photos were on their way.
  settle() {
    if (!this.waiting || this.isBusy()) return;
    const button = this.waiting;
    this.waiting = null;
    button.removeAttribute("aria-busy");
    if (this.failed()) this.stuck();
    else this.form.requestSubmit(button);
  }
}

// A photo as the draft has it: of the site {id, url}, of this browser {file, name}.
function describe(tile) {
  if (tile.unsent) return tile.unsent;
  const url = tile.dataset.card ?? tile.querySelector("img")?.getAttribute("src") ?? "";
  return { id: tile.querySelector("[name=photos]").value, url };
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

// Some browsers keep no drafts, or no files: then it asks whether to leave.
function guard(form, composer) {
  // Words may have been written while this module was still on its way.
  const isEdited = [...form.elements].some((one) => one.defaultValue !== undefined && one.value !== one.defaultValue);
  let isUnkept = isEdited || form.querySelector(".field__error") !== null;
  form.addEventListener("input", () => (isUnkept = true));
  form.addEventListener("submit", ({ defaultPrevented }) => (isUnkept &&= defaultPrevented));
  window.addEventListener("beforeunload", (event) => {
    if (isUnkept && !("draftKept" in form.dataset && composer.isSafe())) event.preventDefault();
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
