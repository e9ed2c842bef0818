// Suggestions under a field: what the keyboard, the pointer and a screen reader need of an ARIA combobox.
// Who uses it says where the typed text is (`read`), what to ask (`url`) and what choosing does (`choose`).
import { announce } from "./announce.js";

const WAIT = 120; // milliseconds without a key before the site is asked
const ROOM = 240; // pixels that a list wants below its field, or else above it
const KEPT = 100; // answers of this page, so that a deleted letter asks nothing
const { none, one, many, title, style } = document.getElementById("live")?.dataset ?? {};
const answers = new Map();
let lists = 0;

let styled = null;

/** Settles when lists have their style: a page's first paint doesn't wait for it, the first question does. */
function loadStyle() {
  styled ??= new Promise((settle) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: style });
    link.onload = link.onerror = settle;
    document.head.append(link);
  });
  return styled;
}

async function fetchItems(url, signal) {
  if (answers.has(url)) return answers.get(url);
  const answer = await fetch(url, { signal, headers: { Accept: "application/json" } });
  if (!answer.ok) return [];
  const { items } = await answer.json();
  if (answers.size >= KEPT) answers.delete(answers.keys().next().value);
  answers.set(url, items);
  return items;
}

/** A list of options under `field`; `read()` is null while there is nothing to suggest. */
export class Combobox {
  constructor(field, { read, url, choose, isQuiet = false, opensEmpty = false }) {
    Object.assign(this, { field, read, url, choose, isQuiet, items: [], at: -1, request: null });
    this.list = this.build();
    this.describe();
    field.addEventListener("input", (event) => event.isComposing || this.later());
    // Half a word of an input method is no text yet; its end is.
    field.addEventListener("compositionstart", () => this.close());
    field.addEventListener("compositionend", () => this.later());
    field.addEventListener("keydown", (event) => this.press(event));
    field.addEventListener("blur", () => this.close());
    if (opensEmpty) field.addEventListener("focus", () => field.value || this.later());
    // Typed, or gone to, while this module was on its way.
    if (field === document.activeElement && (field.value !== field.defaultValue || (opensEmpty && !field.value))) this.later();
  }

  describe() {
    const { field, list } = this;
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", list.id);
    // A text of several lines may not be called a combobox: it only names its list and the line in it.
    if (field.tagName !== "INPUT") return;
    field.setAttribute("role", "combobox");
    field.setAttribute("aria-expanded", "false");
    field.autocomplete = "off";
  }

  build() {
    const list = document.createElement("ul");
    Object.assign(list, { className: "combobox", id: `suggestions-${(lists += 1)}`, hidden: true });
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", title);
    // The field keeps the focus: a press on the list must not take it away.
    list.addEventListener("pointerdown", (event) => event.preventDefault());
    list.addEventListener("click", ({ target }) => {
      const option = target.closest("[role=option]");
      if (option) this.take(Number(option.dataset.at));
    });
    // Inside a label its lines would be part of the field's name.
    const place = this.field.closest(".search-box, .field") ?? (this.field.closest("label") ?? this.field).parentElement;
    place.classList.add("combobox-place");
    place.append(list);
    return list;
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), WAIT);
  }

  async ask() {
    this.request?.abort();
    const typed = this.read();
    if (typed === null) return this.close();
    const request = (this.request = new AbortController());
    const [items] = await Promise.all([fetchItems(this.url(typed), request.signal).catch(() => null), loadStyle()]);
    // An older answer than the newest question is dropped, and so is one for a field that was left.
    if (request !== this.request || items === null || document.activeElement !== this.field) return;
    this.show(items);
  }

  show(items) {
    this.items = items;
    this.at = -1;
    this.list.replaceChildren(...items.map((item, at) => this.option(item, at)));
    this.open(items.length > 0);
    const isSilent = this.isQuiet || this.read() === ""; // nothing was asked for yet
    if (items.length || !isSilent) announce(items.length === 1 ? one : (items.length ? many : none).replace("{n}", items.length));
  }

  open(isOpen) {
    this.list.hidden = !isOpen;
    const { top, bottom } = this.list.parentElement.getBoundingClientRect();
    this.list.classList.toggle("combobox--up", innerHeight - bottom < ROOM && top > ROOM);
    if (this.field.tagName === "INPUT") this.field.setAttribute("aria-expanded", String(isOpen));
    this.field.removeAttribute("aria-activedescendant");
  }

  option(item, at) {
    const option = document.createElement("li");
    Object.assign(option, { className: "combobox__option", id: `${this.list.id}-${at}` });
    Object.assign(option.dataset, { at, kind: item.kind ?? "people" });
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    for (const [part, text] of [["name", item.name], ["detail", item.detail]]) {
      if (!text) continue;
      const span = option.appendChild(document.createElement("span"));
      Object.assign(span, { className: `combobox__${part}`, textContent: text });
    }
    return option;
  }

  close() {
    clearTimeout(this.timer);
    this.request?.abort();
    this.request = null;
    this.items = [];
    this.at = -1;
    this.open(false);
  }

  press(event) {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    if (this.list.hidden) {
      if (event.key === "ArrowDown" && this.field.tagName === "INPUT") this.later();
      return;
    }
    // Enter without a chosen line does what it does without suggestions, and Tab always goes on.
    if (event.key === "Tab" || (event.key === "Enter" && this.at < 0)) return this.close();
    const act = {
      ArrowDown: () => this.move(1),
      ArrowUp: () => this.move(-1),
      Escape: () => this.close(),
      Enter: () => this.take(this.at),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    // Escape closes the list, not what is around it.
    event.stopPropagation();
    act();
  }

  move(step) {
    const places = this.items.length + 1;
    // One place past the end is the field itself: nothing chosen.
    this.at = ((this.at + 1 + step + places) % places) - 1;
    [...this.list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === this.at)));
    const chosen = this.list.children[this.at];
    if (!chosen) return this.field.removeAttribute("aria-activedescendant");
    this.field.setAttribute("aria-activedescendant", chosen.id);
    chosen.scrollIntoView({ block: "nearest" });
  }

  take(at) {
    const item = this.items[at];
    this.close();
    this.choose(item);
  }
}

/** A search field: a shop or a person opens its page, a word is searched for. Empty it shows searches to begin with. */
export function start(input) {
  const kind = input.dataset.suggest;
  const opensEmpty = !kind && !document.getElementById("trending"); // the page shows them itself
  new Combobox(input, {
    opensEmpty,
    read: () => input.value.trim() || (opensEmpty ? "" : null),
    url: (typed) => `/api/suggest?${new URLSearchParams({ q: typed.slice(0, 80), kind })}`,
    choose: ({ name, url }) => {
      if (url) return location.assign(url);
      input.value = name;
      input.form?.requestSubmit();
    },
  });
}
