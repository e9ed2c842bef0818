// The form of an open chat. Each message is shown at once as "sending", under a key of its own: sent again after a
// failure, it is still one message. What is being written is kept in the browser until it is sent.
import { announce } from "./announce.js";
import * as drafts from "./draft_store.js";
import * as files from "./kept_files.js";
import { make as makeKey } from "./request_tokens.js";
import { toast } from "./toast.js";

const MAX_BYTES = 10 * 1024 * 1024;
const PATIENCE = 30_000; // milliseconds that an answer may take
const MAX_ROWS_HEIGHT = 160; // pixels

class ChatForm {
  constructor(form, chat) {
    this.form = form;
    this.chat = chat;
    this.text = form.elements.text;
    this.file = form.elements.picture;
    this.draftKey = drafts.keyOf(chat.me, `chat:${chat.id}`);
    this.sending = new Map(); // by client key
    this.queue = Promise.resolve(); // messages go in the order in which they were written
  }

  isSending(key) {
    return this.sending.has(key);
  }

  keepDraft() {
    if (this.text.value) drafts.write(this.draftKey, { text: this.text.value });
    else drafts.forget(this.draftKey);
  }

  /** Of a message that the site has not confirmed: each has a draft of its own, so that two tabs don't share one. */
  unsentKey(key) {
    return `${this.draftKey}:${key}`;
  }

  /** A message until it is confirmed, with what a later visit says of it. */
  keepUnsent(key, body, trouble) {
    const unsent = [...body].filter(([, value]) => typeof value === "string");
    const file = body.get("picture");
    const picture = file && { id: files.idOf(file), name: file.name };
    const isKept = drafts.write(this.unsentKey(key), { text: body.get("text"), unsent, picture, trouble });
    if (file && isKept) files.keep(this.unsentKey(key), file);
  }

  forgetUnsent(key, body) {
    drafts.forget(this.unsentKey(key));
    if (body.has("picture")) files.drop(files.idOf(body.get("picture")));
  }

  readDraft() {
    this.text.value ||= drafts.read(this.draftKey)?.fields.text ?? "";
    this.fit();
    const unsent = drafts.keysOf(this.chat.me).filter((key) => key.startsWith(this.unsentKey("")));
    const found = unsent.map(drafts.read).filter(Boolean);
    for (const { fields } of found.sort((one, other) => one.at - other.at)) this.offer(fields);
  }

  fit() {
    this.text.style.blockSize = "auto";
    this.text.style.blockSize = `${Math.min(this.text.scrollHeight + 2, MAX_ROWS_HEIGHT)}px`;
  }

  choose() {
    const [file] = this.file.files;
    if (file?.size > MAX_BYTES) {
      this.file.value = "";
      return toast(this.form.dataset.tooLarge, "warning");
    }
    this.form.querySelector("[data-chosen]").hidden = !file;
    this.form.querySelector("[data-chosen-name]").textContent = file?.name ?? "";
  }

  submit() {
    const body = new FormData(this.form);
    if (!this.file.files.length) body.delete("picture");
    if (!this.text.value.trim() && !body.has("picture")) return;
    const key = makeKey();
    body.set("client_id", key);
    this.keepUnsent(key, body, this.form.dataset.failed);
    const item = this.show(body);
    this.form.reset();
    this.text.value = "";
    for (const field of this.form.querySelectorAll("[name=mention]")) field.remove();
    this.choose();
    this.keepDraft();
    this.fit();
    this.send(item, key, body);
  }

  /** A message of an earlier visit, which may have arrived: under its key it is sent once, whatever happens. */
  async offer({ unsent, picture, trouble }) {
    const body = new FormData();
    for (const [name, value] of unsent) body.append(name, value);
    const key = body.get("client_id");
    const item = this.show(body, picture?.name);
    this.fail(item, trouble);
    this.arm(item, key, body);
    if (!picture) return;
    const file = await files.load(picture.id);
    if (file) {
      body.append("picture", file);
      files.idOf(body.get("picture"), picture.id);
    } else {
      this.fail(item, this.form.dataset.missing.replace("{name}", picture.name));
      item.querySelector("[data-retry]").hidden = true;
    }
  }

  show(body, name = body.get("picture")?.name) {
    const template = this.chat.root.querySelector("[data-pending-template]");
    const item = template.content.firstElementChild.cloneNode(true);
    const words = item.querySelector("[data-words]");
    words.textContent = body.get("text").trim();
    words.hidden = !words.textContent;
    const picture = item.querySelector("[data-picture]");
    picture.hidden = !name;
    picture.querySelector("span").textContent = name ?? "";
    this.chat.root.querySelector("[data-empty]")?.remove();
    this.chat.list.append(item);
    this.chat.goToEnd();
    return item;
  }

  send(item, key, body) {
    this.sending.set(key, item);
    this.mark(item, "sending");
    this.queue = this.queue.then(() => this.post(item, key, body));
  }

  async post(item, key, body) {
    const answer = await fetch(this.form.action, {
      method: "POST",
      body,
      headers: { "HX-Request": "true" },
      signal: AbortSignal.timeout(PATIENCE),
    }).catch(() => null);
    this.sending.delete(key);
    if (answer?.status === 201) {
      this.forgetUnsent(key, body);
      return this.finish(item, await answer.text());
    }
    const refusal = await answer?.json().catch(() => null);
    const trouble = refusal?.detail ?? this.form.dataset.failed;
    this.keepUnsent(key, body, trouble);
    this.fail(item, trouble);
    this.arm(item, key, body);
  }

  arm(item, key, body) {
    item.querySelector("[data-retry]").onclick = () => this.send(item, key, body);
    item.querySelector("[data-discard]").onclick = () => this.discard(item, key, body);
  }

  finish(item, html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    const sent = template.content.querySelector("li");
    item.remove();
    const number = Number(sent.dataset.number);
    if (number > this.chat.last + 1) this.chat.catchUp();
    else this.chat.add([sent]);
  }

  fail(item, words) {
    this.mark(item, "failed");
    item.querySelector(".message__error").textContent = words;
    announce(words);
  }

  mark(item, state) {
    item.dataset.state = state;
    for (const part of item.querySelectorAll("[data-when]")) part.hidden = part.dataset.when !== state;
  }

  /** What is discarded goes back to the field, unless something else is being written there. */
  discard(item, key, body) {
    item.remove();
    this.forgetUnsent(key, body);
    if (!this.text.value) this.text.value = body.get("text");
    this.keepDraft();
    this.fit();
    this.text.focus();
  }

  key(event) {
    const isPhone = matchMedia("(pointer: coarse)").matches;
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || isPhone || event.defaultPrevented) return;
    event.preventDefault();
    this.form.requestSubmit();
  }
}

export function startForm(form, chat) {
  const made = new ChatForm(form, chat);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    made.submit();
  });
  made.text.addEventListener("input", () => {
    made.keepDraft();
    made.fit();
  });
  made.text.addEventListener("keydown", (event) => made.key(event));
  made.file.addEventListener("change", () => made.choose());
  form.querySelector("[data-chosen-remove]").addEventListener("click", () => {
    made.file.value = "";
    made.choose();
  });
  made.readDraft();
  made.choose();
  return made;
}
