// "@" in a text opens suggestions of people. The text holds the name; the id goes along in a hidden field, so that
// the right one of two people of one name is meant.
import { Combobox } from "./combobox.js";

const LONGEST = 32; // characters of a nickname

/** What stands between the last "@" of a word's beginning and the cursor, or null. */
function typedName(field) {
  const before = field.value.slice(0, field.selectionStart);
  const at = before.lastIndexOf("@");
  if (at < 0 || field.selectionStart !== field.selectionEnd) return null;
  const name = before.slice(at + 1);
  // An address such as a@b is no mention; a name may have spaces, but no line goes on.
  if (/[\w.]/.test(before[at - 1] ?? "") || name.length > LONGEST || /[\n@]|^\s|\s\s/.test(name)) return null;
  return name;
}

function remember(field, id) {
  const form = field.form;
  if (!form || form.querySelector(`input[name=mention][value="${id}"]`)) return;
  const hidden = Object.assign(document.createElement("input"), { type: "hidden", name: "mention", value: id });
  field.after(hidden);
}

function insert(field, { id, name }) {
  const end = field.selectionStart;
  const begin = field.value.slice(0, end).lastIndexOf("@");
  field.setRangeText(`@${name} `, begin, end, "end");
  remember(field, id);
  // Others count letters or forgive errors by it.
  field.dispatchEvent(new Event("input", { bubbles: true }));
  return { begin, text: `@${name} ` };
}

/** Whether the cursor stands behind the name that was chosen last: nothing more is suggested for it. */
function isBehind(field, chosen) {
  const at = field.value.slice(0, field.selectionStart).lastIndexOf("@");
  return at === chosen?.begin && field.value.startsWith(chosen.text, at);
}

export function start(field) {
  const source = field.dataset.mentions || "/api/suggest?kind=contacts";
  let chosen = null;
  new Combobox(field, {
    read: () => (isBehind(field, chosen) ? null : typedName(field)),
    url: (typed) => `${source}${source.includes("?") ? "&" : "?"}${new URLSearchParams({ q: typed })}`,
    choose: (item) => (chosen = insert(field, item)),
    isQuiet: true,
  });
}
