// The words of a message that its author has just deleted, in this tab alone: a button puts them back into the field.
import { ENDED, attempt, end, keyOf } from "./draft_store.js";

const RETENTION = 24 * 3600 * 1000; // milliseconds since the message was sent
const nameOf = (person) => keyOf(person, "deleted");

const IS_OURS = /^savor-draft:\d+:deleted:/; // of whomever
const keys = () => attempt(() => Object.keys(sessionStorage).filter((key) => IS_OURS.test(key))) ?? [];
const read = (key) => attempt(() => JSON.parse(sessionStorage.getItem(key)));
const write = (key, kept) => attempt(() => sessionStorage.setItem(key, JSON.stringify(kept)));
const forget = (key) => attempt(() => sessionStorage.removeItem(key));

/** Their person logs out here; an open chat in another tab is told. */
export function endAll(person) {
  keys().forEach(forget);
  end(nameOf(person));
}

class DeletedWords {
  constructor(chat) {
    this.chat = chat;
    this.name = nameOf(chat.me);
    for (const key of keys()) {
      if (!key.startsWith(`${this.name}:`) || !(Date.now() - read(key)?.at < RETENTION)) forget(key);
    }
    chat.list.addEventListener("submit", ({ target }) => {
      if (target.matches("[data-delete]")) this.keep(target.closest("li"));
    });
    addEventListener("storage", ({ key, newValue }) => key === this.name && newValue === ENDED && this.clear());
    if (!chat.form) return;
    new MutationObserver(() => this.offer()).observe(chat.list, { childList: true });
    this.offer();
  }

  keyOf(item) {
    return `${this.name}:${this.chat.id}:${item.dataset.number}`;
  }

  /** Before the site has deleted them: the live stream may say so earlier than the answer does. */
  keep(item) {
    const words = item.querySelector(".bubble")?.textContent;
    if (words) write(this.keyOf(item), { at: Date.parse(item.querySelector("time").dateTime), words });
  }

  clear() {
    keys().forEach(forget);
    for (const button of this.chat.list.querySelectorAll("[data-again]")) button.remove();
  }

  offer() {
    for (const bubble of this.chat.list.querySelectorAll("[data-deleted]:not(:has(+ [data-again]))")) {
      const item = bubble.closest("li");
      if (!read(this.keyOf(item))) continue;
      const button = this.chat.root.querySelector("[data-again-template]").content.firstElementChild.cloneNode(true);
      button.addEventListener("click", () => this.putBack(this.keyOf(item), button));
      bubble.after(button);
    }
  }

  /** What the field has no room for waits for another press. */
  putBack(key, button) {
    const { text } = this.chat.form;
    const kept = read(key);
    const all = [text.value, kept?.words].filter(Boolean).join("\n");
    const fitting = all.slice(0, text.maxLength).replace(/[\uD800-\uDBFF]$/, "");
    const rest = all.slice(fitting.length).trimStart();
    if (rest) write(key, { ...kept, words: rest });
    else {
      forget(key);
      button.remove();
    }
    text.value = fitting;
    text.dispatchEvent(new Event("input", { bubbles: true }));
    text.focus();
  }
}

export const start = (chat) => new DeletedWords(chat);
