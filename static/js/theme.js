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

function show(button, choice) {
  const root = document.documentElement;
  if (choice === "system") delete root.dataset.theme;
  else root.dataset.theme = choice;
  for (const icon of button.querySelectorAll("[data-theme-icon]")) icon.hidden = icon.dataset.themeIcon !== choice;
  const words = button.dataset[`label${choice[0].toUpperCase()}${choice.slice(1)}`];
  button.setAttribute("aria-label", words);
  button.title = words;
}

export function start(button) {
  let choice = stored();
  show(button, choice);
  button.addEventListener("click", () => {
    choice = ROUND[(ROUND.indexOf(choice) + 1) % ROUND.length];
    store(choice);
    show(button, choice);
  });
}
