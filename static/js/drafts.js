// <form data-draft="note:new:5">: what somebody writes is kept in this browser, for them alone, until it was sent. A
// reload, a log-in that ended, a lost line lose nothing. [data-draft-notice] in the form says so; a form with
// data-draft-end logs its person out, and takes their drafts along.
import { endAll } from "./deleted_words.js";
import { ENDED, attempt, end, forget, hasFiles, keyOf, keysOf, read, write } from "./draft_store.js";
import * as personal from "./personal.js";
import { toast } from "./toast.js";

const SENT = "savor-sent"; // of this window: the draft that was sent just now
const DONE = "savor_done"; // cookie: what was pressed before the log-in is done; see login/pending_actions.py
const LOGIN = "/login/";
const PAUSE = 500; // milliseconds after the last key, before the page says that it is kept
const NEVER_KEPT = ["password", "file", "hidden", "submit", "button", "reset", "image"];
const SECRETS = /code|password|token|otp/i;

function isKept({ name, type, autocomplete }) {
  // What the form was made from goes with its words; see apps/web/form_state.py.
  if (name === "mention" || name === "made_from") return true;
  return (
    name &&
    name !== "photos" &&
    !NEVER_KEPT.includes(type) &&
    !SECRETS.test(name) &&
    autocomplete !== "one-time-code"
  );
}

const isChoice = ({ type }) => type === "checkbox" || type === "radio";
const defaultOf = (one) =>
  one.tagName === "SELECT"
    ? ([...one.options].find((option) => option.defaultSelected) ?? one.options[0])?.value
    : one.defaultValue;

class Draft {
  constructor(form) {
    this.form = form;
    this.notice = form.querySelector("[data-draft-notice]");
    this.untouched = this.values({ isAsCame: true });
    this.key = null; // until the reader is known
    this.person = 0;
    this.isAsCame = false; // the form came with what the draft says: the server refused it
    this.listen();
    personal.listen(({ person }) => this.follow(person?.id ?? 0));
  }

  /** Whose log-in ends in mid-work goes on writing their own draft. Nobody else reads it, nor who is logged out. */
  follow(person) {
    if (this.key !== null) {
      const isLoggedOut = "draftKept" in this.form.dataset && !read(this.key); // a log-out takes drafts along
      if (person === this.person || (!person && !isLoggedOut)) return;
      if (this.person) this.clear();
    }
    this.name(person);
  }

  clear() {
    clearTimeout(this.timer);
    this.apply(JSON.parse(this.untouched));
    this.form.removeAttribute("data-draft-kept");
    if (this.notice) this.notice.hidden = true;
  }

  controls() {
    return [...this.form.elements].filter(isKept);
  }

  /** What stands in the form, or what it came with, as JSON. */
  values({ isAsCame = false } = {}) {
    const fields = {};
    for (const one of this.controls()) {
      const values = (fields[one.name] ??= []);
      if (isChoice(one)) (isAsCame ? one.defaultChecked : one.checked) && values.push(one.value);
      else values.push(isAsCame ? defaultOf(one) : one.value);
    }
    // A form with more than controls adds what it has; see compose.js, file_field.js and tokens.js.
    this.tell("read", { fields, isAsCame });
    return JSON.stringify(fields);
  }

  tell(what, detail) {
    this.form.dispatchEvent(new CustomEvent(`draft:${what}`, { detail }));
  }

  name(person) {
    this.person = person;
    this.key = keyOf(person, this.form.dataset.draft);
    const found = read(this.key) ?? read(keyOf(0, this.form.dataset.draft));
    // Written before the log-in: from now on it is this person's.
    if (person) forget(keyOf(0, this.form.dataset.draft));
    const isTouched = this.values() !== this.untouched;
    const isRefused = wasRefused() && this.form.querySelector(".field__error, [role=alert]") !== null;
    this.isAsCame = found ? JSON.stringify(found.fields) === this.untouched : isRefused;
    // What the server refused stands in the form already, as it was sent; no server gives a file back.
    if (found?.fields.files && wasRefused()) this.tell("fill", { fields: { files: found.fields.files } });
    if (found && !isTouched && !wasRefused()) this.fill(found.fields);
    else if (isTouched) this.keep() && this.say("saved"); // written before it was known who reads
    else if (found)
      this.form.toggleAttribute("data-draft-kept", JSON.stringify(found.fields) === this.values());
    else if (this.isAsCame) this.keep();
  }

  fill(fields) {
    const wanted = JSON.stringify(fields);
    if (wanted === this.values()) return;
    this.apply(fields);
    this.keep();
    this.say("back");
  }

  apply(fields) {
    const left = structuredClone(fields);
    for (const one of this.form.querySelectorAll("input[name=mention]")) one.remove();
    for (const id of fields.mention ?? []) {
      this.form.append(
        Object.assign(document.createElement("input"), {
          type: "hidden",
          name: "mention",
          value: id,
        }),
      );
    }
    for (const one of this.controls()) {
      if (!left[one.name] || one.name === "mention") continue;
      if (isChoice(one)) one.checked = left[one.name].includes(one.value);
      else one.value = left[one.name].shift() ?? one.value;
    }
    this.tell("fill", { fields });
  }

  listen() {
    const keep = () => {
      clearTimeout(this.timer);
      if (this.keep()) this.timer = setTimeout(() => this.say("saved"), PAUSE);
    };
    for (const name of ["input", "change", "draft:changed"]) this.form.addEventListener(name, keep);
    this.form.addEventListener("submit", (event) => this.submit(event), { capture: true });
    addEventListener("submit", (event) => this.leave(event));
    addEventListener("storage", (event) => this.handleChange(event));
    // A browser brings back what stood in a form for whoever goes back to it: what is kept here has its person.
    addEventListener(
      "pagehide",
      () => "draftKept" in this.form.dataset && (this.form.autocomplete = "off"),
    );
    this.form.addEventListener("htmx:beforeOnLoad", ({ detail }) => this.answer(detail.xhr));
    this.notice
      ?.querySelector("[data-draft-discard]")
      .addEventListener("click", () => this.discard());
    this.notice
      ?.querySelector("[data-draft-recover]")
      .addEventListener("click", () => this.recover());
  }

  /** Whether there was something to keep, and it is kept. */
  keep() {
    if (!this.key) return false;
    const fields = this.values();
    const isChanged = this.isAsCame || fields !== this.untouched;
    const isKept = isChanged && write(this.key, JSON.parse(fields));
    if (!isChanged) forget(this.key);
    this.form.toggleAttribute("data-draft-kept", isKept);
    if (isKept) this.tell("kept", { key: this.key });
    return isKept;
  }

  submit(event) {
    this.keep();
    if (navigator.onLine === false) {
      event.preventDefault();
      event.stopImmediatePropagation();
      toast(this.notice?.dataset.offline ?? "", "warning");
    }
  }

  /** The browser sends the form and leaves: no other listener stopped it. */
  leave(event) {
    if (event.target !== this.form || event.defaultPrevented || !this.key) return;
    attempt(() =>
      sessionStorage.setItem(SENT, JSON.stringify({ key: this.key, from: address(location.href) })),
    );
  }

  /** htmx has an answer to the form. */
  answer(xhr) {
    const way = xhr.getResponseHeader("HX-Redirect");
    if (xhr.status >= 400) return;
    if (!way?.startsWith(LOGIN)) return this.end();
    const then = new URL(way, location.href).searchParams.get("then");
    attempt(() => sessionStorage.setItem(SENT, JSON.stringify({ key: this.key, then })));
  }

  end() {
    clearTimeout(this.timer);
    if (this.key) forget(this.key);
  }

  /** Another tab has written, sent or thrown away the draft of this form, or its person logs out there. */
  handleChange({ key, oldValue, newValue }) {
    if (key !== this.key) return;
    if (newValue === ENDED) this.clear();
    // What was sent there is not what stands here.
    else if (
      newValue === null &&
      oldValue &&
      JSON.stringify(JSON.parse(oldValue).fields) !== this.values()
    )
      this.keep();
  }

  discard() {
    if (this.isAsCame) {
      this.end();
      return location.replace(address(location.href));
    }
    this.thrown = JSON.parse(this.values());
    this.apply(JSON.parse(this.untouched));
    this.end();
    if (hasFiles()) import("./kept_files.js").then((files) => files.sweep());
    this.say("gone");
  }

  recover() {
    this.apply(this.thrown);
    this.keep();
    this.say("back");
  }

  say(state) {
    if (
      !this.notice ||
      (state === "saved" && !this.notice.hidden && this.notice.dataset.state !== "gone")
    )
      return;
    this.notice.dataset.state = state;
    this.notice.hidden = false;
    this.notice.querySelector("[data-draft-words]").textContent = this.notice.dataset[state];
    this.notice.querySelector("[data-draft-discard]").hidden = state === "gone";
    this.notice.querySelector("[data-draft-recover]").hidden = state !== "gone";
  }
}

const address = (url) => url.replace(/#.*/, "");

/** Whether this page is the answer to a form that was refused. */
function wasRefused() {
  return (performance.getEntriesByType("navigation")[0]?.responseStatus ?? 200) >= 400;
}

function takeCookie(name) {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  if (found) document.cookie = `${name}=; path=/; max-age=0`;
  return found?.slice(name.length + 1);
}

/** After a form of the page before: its draft goes if this page is what a sent form leads to. */
export function settle() {
  const sent = attempt(() => JSON.parse(sessionStorage.getItem(SENT)));
  if (!sent || (location.pathname === LOGIN && sent.then !== undefined)) return;
  attempt(() => sessionStorage.removeItem(SENT));
  if (wasRefused()) return;
  if (location.pathname === LOGIN) {
    const then = new URLSearchParams(location.search).get("then");
    if (then) attempt(() => sessionStorage.setItem(SENT, JSON.stringify({ key: sent.key, then })));
  } else if (sent.then !== undefined) {
    if (sent.then && takeCookie(DONE) === sent.then) forget(sent.key);
  } else if (address(document.referrer) === sent.from) forget(sent.key);
}

// Back on the form after all, from a page of the browser's own: nothing was sent.
addEventListener(
  "pageshow",
  ({ persisted }) => persisted && attempt(() => sessionStorage.removeItem(SENT)),
);

// The log-out page is everybody's: whose drafts go is known from the page that led there.
function endWith(form) {
  let person = 0;
  personal.listen((part) => (person = part.person?.id ?? person));
  form.addEventListener("submit", () => {
    for (const key of keysOf(person)) end(key);
    endAll(person);
  });
}

export function start(form) {
  if ("draftEnd" in form.dataset) endWith(form);
  else new Draft(form);
}
