// A field that the browser refuses says why in the page's language, in the place of the server's own errors; the
// browser would speak its own language, in a bubble that goes away.
const ids = new WeakMap();
let made = 0;

function textOf(field) {
  const { dataset } = document.getElementById("field-texts");
  const { validity } = field;
  if (validity.valueMissing) return field.matches("select, [type=radio], [type=checkbox], [type=file]") ? dataset.choose : dataset.missing;
  if (validity.rangeUnderflow) return dataset.least.replace("{n}", field.min);
  if (validity.rangeOverflow) return dataset.most.replace("{n}", field.max);
  if (validity.badInput) return dataset.number;
  return field.validationMessage;
}

function errorOf(field) {
  const place = field.closest(".field, fieldset") ?? field.parentElement;
  const known = place.querySelector(":scope > .field__error");
  const error = known ?? document.createElement("div");
  if (!known) {
    error.className = "field__error";
    place.append(error);
  }
  error.id ||= `refused-${(made += 1)}`;
  return error;
}

/** Shows a field's refusal beneath it, until the field is changed; the first one of a form gets the focus. */
export function explain(field) {
  const error = errorOf(field);
  error.textContent = textOf(field);
  field.setAttribute("aria-invalid", "true");
  if (!ids.has(field)) ids.set(field, field.getAttribute("aria-describedby") ?? "");
  field.setAttribute("aria-describedby", `${error.id} ${ids.get(field)}`.trim());
  if (field.form?.querySelector(":is(input, select, textarea):invalid") === field) field.focus();
  const place = error.parentElement;
  const forgive = () => {
    error.replaceChildren();
    for (const wrong of place.querySelectorAll("[aria-invalid]")) wrong.removeAttribute("aria-invalid");
  };
  place.addEventListener("input", forgive, { once: true });
}
