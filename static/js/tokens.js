// [data-tokens]: a field of names with commas between them becomes tokens and an entry for the next one; a press on a
// known name adds or removes it. What is sent is the same text.
const SEPARATORS = /[,，、;；]/;

class Tokens {
  constructor(field) {
    this.say = field.dataset;
    this.most = Number(field.dataset.most);
    this.entry = field.querySelector("input[name]");
    this.list = field.querySelector("[data-tokens-list]");
    this.known = field.querySelector("[data-tokens-known]");
    this.sent = document.createElement("input");
    this.sent.type = "hidden";
    this.sent.name = this.entry.name;
    this.entry.removeAttribute("name");
    this.entry.after(this.sent);
    this.names = [];
    this.take();
    this.listen();
    if (this.known) this.known.hidden = false;
  }

  listen() {
    const { form, name } = this.sent;
    form.addEventListener("draft:read", ({ detail }) => (detail.fields[name] = [this.sent.value]));
    form.addEventListener("draft:fill", ({ detail }) => detail.fields[name] && this.fill(detail.fields[name][0]));
    this.entry.addEventListener("keydown", (event) => this.type(event));
    this.entry.addEventListener("input", () => (SEPARATORS.test(this.entry.value) ? this.take() : this.write()));
    this.entry.addEventListener("change", () => this.take());
    this.list.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button) this.remove(button.value);
      this.entry.focus();
    });
    this.known?.addEventListener("click", ({ target }) => {
      const name = target.closest("button")?.value;
      if (!name) return;
      if (this.names.includes(name)) this.remove(name);
      else this.add(name);
      this.draw();
    });
  }

  /** The names of a draft take the place of those that are here. */
  fill(text) {
    this.names = [];
    this.entry.value = text;
    this.take();
  }

  type(event) {
    if (event.key === "Enter" && this.entry.value.trim() && !event.isComposing) {
      event.preventDefault();
      this.take();
    } else if (event.key === "Backspace" && !this.entry.value && this.names.length) this.remove(this.names.at(-1));
  }

  // The text of the entry as tokens; what finds no place stays in it.
  take() {
    const left = this.entry.value.split(SEPARATORS).filter((name) => name.trim() && !this.add(name));
    this.entry.value = left.join(", ");
    this.draw();
  }

  add(name) {
    const clean = name.trim().replace(/\s+/g, " ");
    if (this.names.includes(clean)) return true;
    const full = this.names.length >= this.most;
    this.entry.setCustomValidity(full ? this.say.full : "");
    if (full) this.entry.reportValidity();
    else this.names.push(clean);
    return !full;
  }

  remove(name) {
    this.names = this.names.filter((other) => other !== name);
    this.entry.setCustomValidity("");
    this.draw();
  }

  draw() {
    this.list.replaceChildren(...this.names.map((name) => this.token(name)));
    this.list.hidden = !this.names.length;
    for (const chip of this.known?.children ?? []) chip.setAttribute("aria-pressed", this.names.includes(chip.value));
    this.write();
    this.sent.form.dispatchEvent(new Event("draft:changed"));
  }

  token(name) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "token";
    button.value = name;
    const chip = [...(this.known?.children ?? [])].find((one) => one.value === name);
    button.textContent = chip?.textContent.trim() ?? name;
    button.setAttribute("aria-label", this.say.remove.replace("{name}", button.textContent));
    item.append(button);
    return item;
  }

  write() {
    this.sent.value = [...this.names, this.entry.value].filter((name) => name.trim()).join(",");
  }
}

export function start(field) {
  new Tokens(field);
}
