// [data-file-field]: a button in the page's language in place of the browser's own, the chosen picture and its name.
// In a form with a draft the picture is the draft's too: it comes back with it, or the field says which one is missing.
import * as files from "./kept_files.js";
import { draw } from "./picture_preview.js";

/** The field's part in its form's draft; see drafts.js. */
function joinDraft(field, input) {
  const name = field.querySelector("[data-file-name]");
  let awaited = null; // {id, name} of the draft, on its way back into the field
  const chosen = () => {
    const [file] = input.files;
    return file ? { id: files.idOf(file), name: file.name } : awaited;
  };

  const putBack = async (wanted) => {
    awaited = wanted;
    const isBack = await files.putBack(input, wanted.id);
    if (awaited !== wanted) return;
    awaited = null;
    name.classList.toggle("truncate", isBack);
    if (!isBack) name.textContent = field.dataset.missing.replace("{name}", wanted.name);
    field.parentElement.querySelector("[data-choose-again]")?.remove();
    input.form.dispatchEvent(new Event("draft:changed"));
  };

  const fill = ({ detail }) => {
    const wanted = detail.fields.files?.[input.name];
    if (wanted && wanted.id === chosen()?.id) return;
    awaited = null;
    if (wanted) return putBack(wanted);
    input.value = "";
    input.dispatchEvent(new Event("change"));
  };

  input.form.addEventListener("draft:read", ({ detail }) => {
    const file = chosen();
    if (file && !detail.isAsCame) detail.fields.files = { ...detail.fields.files, [input.name]: file };
  });
  input.form.addEventListener("draft:fill", fill);
  input.form.addEventListener("draft:kept", ({ detail }) => {
    if (input.files.length) files.keep(detail.key, input.files[0]);
  });
}

export function start(field) {
  const input = field.querySelector("input[type=file]");
  const show = () => {
    const [file] = input.files;
    const frame = field.querySelector("[data-file-preview]");
    frame.replaceChildren();
    field.querySelector("[data-file-name]").textContent = file?.name ?? "";
    if (file) draw(file, frame);
  };
  input.addEventListener("change", show);
  show();
  if (input.form.dataset.draft) joinDraft(field, input);
}
