// The search field of the sidebar: "t" and Ctrl+K lead to it, arrows move the choice, Enter opens it, Escape ends it.
const isTyping = ({ tagName, isContentEditable }) =>
  isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(tagName);

function start(search) {
  const field = search.querySelector("input");
  const results = search.querySelector("#search-results");
  const options = () => [...results.querySelectorAll("[role=option]")];
  const chosen = () => results.querySelector("[aria-selected=true]");

  function choose(option) {
    chosen()?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) field.setAttribute("aria-activedescendant", option.id);
    else field.removeAttribute("aria-activedescendant");
  }
  function show(isOpen) {
    results.hidden = !isOpen;
    field.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) choose(null);
  }
  function move(step) {
    const all = options();
    if (!all.length) return;
    show(true);
    choose(all[(all.indexOf(chosen()) + step + all.length) % all.length]);
  }
  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(chosen() ? -1 : 0),
    Enter: () => (chosen() ?? options()[0])?.querySelector("a").click(),
    Escape: () => {
      if (results.hidden) field.blur();
      show(false);
      field.value = "";
      results.replaceChildren();
    },
  };
  field.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.isComposing) return;
    event.preventDefault();
    keys[event.key]();
  });
  results.addEventListener("htmx:afterSwap", () => show(Boolean(results.children.length)));
  field.addEventListener("focus", () => show(Boolean(results.children.length)));
  document.addEventListener("click", (event) => search.contains(event.target) || show(false));
  document.addEventListener("keydown", (event) => {
    const isShortcut = event.key === "k" ? event.ctrlKey || event.metaKey : event.key === "t" && !event.ctrlKey;
    if (!isShortcut || event.altKey || isTyping(document.activeElement)) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}
document.addEventListener("DOMContentLoaded", () => {
  const search = document.querySelector("[data-search]");
  if (search) start(search);
});
