// The theme button goes round: system, light, dark. The words come from the button's data-label-* attributes.
const KEY = "savor-theme";
const ROUND = ["system", "light", "dark"];

function stored() {
  try {
    return localStorage.getItem(KEY) || "system";
  } catch {
    return "system";
  }
}

function store(choice) {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // Forbidden storage: the choice lasts for this page.
  }
}

/** The button's own words and picture. */
function mark(button, choice) {
  for (const icon of button.querySelectorAll("[data-theme-icon]")) icon.hidden = icon.dataset.themeIcon !== choice;
  const words = button.dataset[`label${choice[0].toUpperCase()}${choice.slice(1)}`];
  button.setAttribute("aria-label", words);
  button.title = words;
}

function apply(choice) {
  const root = document.documentElement;
  if (choice === "system") delete root.dataset.theme;
  else root.dataset.theme = choice;
}

export function start(button) {
  let choice = stored();
  mark(button, choice);
  apply(choice);
  button.addEventListener("click", () => {
    choice = ROUND[(ROUND.indexOf(choice) + 1) % ROUND.length];
    store(choice);
    mark(button, choice);
    // The button answers in the next frame; drawing the whole page anew takes a slow phone several.
    requestAnimationFrame(() => setTimeout(() => apply(choice)));
  });
}
