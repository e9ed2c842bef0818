// Forms of the admin with a file: a form that was refused has the file again that was chosen in it; see kept_files.js.
import { attempt, forget, hasFiles, keyOf, read, write } from "./draft_store.js";
import * as files from "./kept_files.js";

const SENT = "savor-sent-files"; // of this window: the draft of the form that was sent just now
const key = keyOf("admin", location.pathname);
const inputs = () => [...document.querySelectorAll("form input[type=file]")];

function keep() {
  const chosen = inputs().filter((input) => input.files.length);
  const fields = chosen.map(({ name, files: [file] }) => ({ id: files.idOf(file), input: name, name: file.name }));
  if (!fields.length) return forget(key);
  if (write(key, fields)) for (const input of chosen) files.keep(key, input.files[0]);
}

async function putBack({ id, input: fieldName, name }) {
  const input = inputs().find((each) => each.name === fieldName);
  const isBack = input && (await files.putBack(input, id));
  const place = input?.closest(".sv-field, .form-row, .field-line") ?? input?.parentElement;
  place?.querySelector("[data-choose-again]")?.remove();
  if (isBack || !place) return;
  const missing = document.getElementById("sv-file-missing").content.firstElementChild.cloneNode(true);
  missing.textContent = missing.textContent.replace("{name}", name);
  place.append(missing);
}

/** After a form of the page before: its files come back if this page is the form again, which was refused. */
function settle() {
  const sent = attempt(() => sessionStorage.getItem(SENT));
  attempt(() => sessionStorage.removeItem(SENT));
  // Whoever saves and goes on with the same form was led back to it.
  const isRefused = sent === key && !performance.getEntriesByType("navigation")[0]?.redirectCount;
  if (isRefused) for (const field of read(key)?.fields ?? []) putBack(field);
  else for (const each of [sent, key]) if (each) forget(each);
  if (hasFiles()) files.sweep();
}

let isSent = false;
document.addEventListener("change", ({ target }) => target.matches("form input[type=file]") && keep());
document.addEventListener("submit", ({ target, defaultPrevented }) => {
  if (defaultPrevented || !target.querySelector("input[type=file]")) return;
  isSent = true;
  attempt(() => sessionStorage.setItem(SENT, key));
});
// Whoever leaves the form without sending it has given its files up.
addEventListener("pagehide", () => isSent || forget(key));
settle();
// Chosen while this module was still on its way.
if (inputs().some((input) => input.files.length)) keep();
