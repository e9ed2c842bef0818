// Small kindnesses to forms: a busy button on a plain submit, digits only in a code field, a select that submits itself.
const DIGITS = /\D+/g;
const sent = new WeakSet(); // forms that are on their way

function otp(input) {
  const typed = () => {
    input.value = input.value.replace(DIGITS, "").slice(0, 6);
    if (input.value.length === 6 && input.dataset.submit !== undefined) input.form.requestSubmit();
  };
  input.addEventListener("input", typed);
  // Typed while this module was still on its way; what the server filled in was refused already.
  if (input.value !== input.defaultValue) typed();
}

/** A form is sent once: keys still reach a button that pointers don't, and six digits have sent themselves already. */
function sendOnce(event) {
  const form = event.target;
  if (!("busy" in form.dataset) || event.defaultPrevented) return;
  if (sent.has(form)) return event.preventDefault();
  sent.add(form);
  (event.submitter ?? form.querySelector("[type=submit]"))?.setAttribute("aria-busy", "true");
}

/** A page that comes back from the back-forward cache must not stay busy. */
function free({ persisted }) {
  if (!persisted) return;
  for (const form of document.querySelectorAll("[data-busy]")) {
    sent.delete(form);
    for (const button of form.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
  }
}

export function start(element) {
  if (element.matches("select")) element.addEventListener("change", () => element.form.requestSubmit());
  else if (element.matches("input")) otp(element);
}

// On the window: what htmx or another script sends is theirs by then.
addEventListener("submit", sendOnce);
addEventListener("pageshow", free);
