// Unfold draws charts once, on load: after a refresh of the dashboard its new canvases need drawing too.
document.addEventListener("htmx:beforeSwap", (event) => {
  for (const canvas of event.target.querySelectorAll("canvas.chart")) Chart.getChart(canvas)?.destroy();
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.querySelector("canvas.chart")) renderCharts();
});

// A dialog is one for who hears it, and the keys are in it; what opened it has them again.
document.addEventListener("htmx:afterSettle", ({ target }) => {
  if (target.id !== "modal-content") return;
  const opener = document.activeElement;
  target.role = "dialog";
  target.ariaModal = "true";
  target.setAttribute("aria-labelledby", "dialog-title");
  // Alpine shows it after this event.
  setTimeout(() => target.querySelector("input:not([type=hidden]), select, textarea, button")?.focus(), 100);
  new MutationObserver((_changes, observer) => {
    if (target.parentElement.style.display !== "none") return;
    observer.disconnect();
    setTimeout(() => {
      opener?.focus();
      // On a phone its menu has closed meanwhile.
      if (document.activeElement !== opener) opener?.closest("[x-data]")?.querySelector("button")?.focus();
    }, 100);
  }).observe(target.parentElement, { attributeFilter: ["style"] });
});

// The "new flash sale" form: a ticket that follows what is typed, and times that show only when wanted.
function spoken(field) {
  if (field.type === "radio") return field.closest("label, div")?.textContent.trim() ?? field.value;
  if (field.tagName === "SELECT") return field.selectedOptions[0]?.textContent.trim() ?? "";
  return field.value.trim();
}
function follow(form) {
  const findShown = (name) => {
    const fields = [...form.querySelectorAll(`[name="${name}"]`)];
    return fields.find((field) => field.type !== "radio" || field.checked);
  };
  const update = () => {
    for (const place of document.querySelectorAll("[data-preview]")) {
      const field = findShown(place.dataset.preview);
      place.textContent = (field && spoken(field)) || place.dataset.empty || "";
    }
    for (const part of form.querySelectorAll("[data-only]")) {
      part.hidden = findShown(part.dataset.only)?.value !== "chosen";
    }
  };
  form.addEventListener("input", update);
  form.addEventListener("change", update);
  // Select2 tells only jQuery.
  window.django?.jQuery?.(form).on("change", update);
  update();
}
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector(".sv-two > form.sv-form");
  if (form && document.querySelector("[data-preview]")) follow(form);
});

// A form with a picture shows the one that was chosen, before it is saved.
document.addEventListener("change", ({ target }) => {
  if (!target.matches("input[type=file][data-picture]")) return;
  const place = target.closest(".field-line, .sv-field, .form-row") ?? target.parentElement;
  let preview = place.querySelector(".sv-chosen");
  const file = target.files[0];
  const card = document.querySelector("[data-preview-picture]");
  if (card && !file) card.hidden = true;
  if (!file) return void preview?.remove();
  if (!preview) {
    preview = Object.assign(new Image(), { className: "sv-chosen", alt: "" });
    place.append(preview);
  }
  // As a data: address, which the admin's policy allows.
  const reader = new FileReader();
  reader.addEventListener("load", () => {
    preview.src = reader.result;
    if (card) card.src = reader.result;
    if (card) card.hidden = false;
  });
  reader.readAsDataURL(file);
});

// It also has it again when it was refused. Another page may have to forget the files of a form that was saved.
document.addEventListener("DOMContentLoaded", () => {
  const isNeeded = document.querySelector("form input[type=file]") || sessionStorage.getItem("savor-sent-files");
  if (isNeeded) import("./admin_files.js");
});
