// [data-file-field]: a button in the page's language in place of the browser's own, the chosen picture and its name.
import { draw } from "./picture_preview.js";

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
}
