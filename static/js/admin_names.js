// Unfold's pages name no landmarks, and Select2 loses the names of its fields: who hears a page needs both.
function nameLandmarks() {
  const title = document.querySelector("#header-inner h1")?.textContent.trim() ?? document.title;
  const [header, ...parts] = document.getElementById("main")?.children ?? [];
  header?.setAttribute("role", "banner");
  document.getElementById("content")?.parentElement.setAttribute("role", "main");
  // What stays at the window's bottom: the pages of a list, or the buttons of a form.
  if (parts.length && !parts.at(-1).role) parts.at(-1).setAttribute("role", "contentinfo");
  [...document.querySelectorAll("nav:not([aria-label])")].forEach((nav, number) => {
    // The last part of a title is the site's name.
    nav.ariaLabel = nav.id === "nav-sidebar-inner" ? document.title.split(" | ").at(-1) : `${title} ${number}`;
  });
  // Each scrolling part would be a region of its own, all of one name.
  for (const part of document.querySelectorAll(".simplebar-content-wrapper")) {
    part.removeAttribute("role");
    part.removeAttribute("aria-label");
  }
}

function nameSelect(select) {
  const name = select.labels?.[0]?.textContent.trim() || select.ariaLabel || select.name;
  for (const part of select.nextElementSibling.querySelectorAll("[role=combobox], [role=textbox], [type=search]")) {
    part.removeAttribute("aria-labelledby");
    part.ariaLabel = name;
  }
}

/** A picture's letters, such as "location_city", are no words: hide them where something else gives the name. */
function hidePictures() {
  for (const picture of document.querySelectorAll(".material-symbols-outlined:not([aria-hidden], [role])")) {
    const control = picture.closest("a, button");
    const isNamed = !control || control.ariaLabel || control.title || control.textContent.trim() !== picture.textContent.trim();
    if (isNamed) picture.ariaHidden = "true";
  }
}

/** A phone's card of a row leaves out what is empty. */
function markEmpty() {
  for (const cell of document.querySelectorAll("#result_list tr.data-row > td"))
    if (/^[-–]?$/.test(cell.textContent.trim()) && !cell.querySelector("input, img, svg")) cell.dataset.empty = "";
}

function nameAll() {
  nameLandmarks();
  hidePictures();
  markEmpty();
  document.querySelectorAll("select.select2-hidden-accessible:has(+ .select2)").forEach(nameSelect);
}

// After what the others do at this moment.
const nameSoon = () => setTimeout(nameAll);
addEventListener("load", nameSoon);
document.addEventListener("formset:added", nameSoon);

// A link to a part of the page opens what is folded there.
function unfold() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target) target.querySelector("details")?.setAttribute("open", "");
}
addEventListener("hashchange", unfold);
addEventListener("load", unfold);
