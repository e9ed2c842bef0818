// Pages are the same for everybody: what people apart from the reader by a block wrote (data-by = their id) is hidden
// here. The ids are kept, so that the next page hides it before the reader's own part has come.
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

function show({ blocked, by }) {
  const all = [...blocked, ...by].map(Number);
  const hidden = all.flatMap((id) => [`[data-by="${id}"]`, `[data-group] [data-author="${id}"]`]);
  const shownRules = [
    ...blocked.map((id) => `[data-blocked="${Number(id)}"]`),
    ...by.map((id) => `[data-apart="${Number(id)}"]`),
  ];
  const rules = `${hidden.join()} { display: none !important } ${shownRules.join()} { display: block }`;
  sheet.replaceSync(all.length ? rules : "");
}

/** Hides what is other people's for this reader; nothing for a visitor. */
export function apply(person) {
  const blocked = person?.blocked ?? [];
  const by = (person?.blocked_by ?? []).filter((id) => !blocked.includes(id));
  const known = { blocked, by };
  try {
    if (blocked.length || by.length) localStorage.setItem("savor-apart", JSON.stringify(known));
    else localStorage.removeItem("savor-apart");
  } catch {
    // Storage may be forbidden: then it is seen for a moment.
  }
  show(known);
}

/** Hides what was hidden on the page before. */
export function recall() {
  const known = JSON.parse(localStorage.getItem("savor-apart"));
  if (known) show(known);
}
