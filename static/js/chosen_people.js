// A new chat has a name only when it is a group: two people chosen and more.
export function start(form) {
  const name = form.querySelector("[data-group-name]");
  const show = () => (name.hidden = form.querySelectorAll("[name=person]:checked").length < 2);
  form.addEventListener("change", show);
  // The list of people is drawn anew while somebody looks for a name.
  form.addEventListener("htmx:afterSettle", show);
  show();
}
