// <select data-city-choice>, the city of a profile, and [data-all-cities] below it, pages of all cities: this browser
// follows both, as soon as they are saved.
import { remember } from "./place.js";

export function start(select) {
  select.form.addEventListener("submit", () => {
    const all = select.form.querySelector("[data-all-cities] input");
    const slug = all?.checked ? "all" : select.selectedOptions[0].dataset.slug;
    if (slug) remember(slug);
  });
}
