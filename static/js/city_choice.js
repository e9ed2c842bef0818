// <select data-city-choice>, the city of a profile: this browser shows it too, as soon as it is saved.
import { remember } from "./where.js";

export function start(select) {
  select.form.addEventListener("submit", () => {
    const { slug } = select.selectedOptions[0].dataset;
    if (slug) remember(slug);
  });
}
