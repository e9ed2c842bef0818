// [data-hours-form]: the rows of a shop's hours. Times show where a day has some, spare ones by a button, and the
// week stands beside them as people will read it: the server is asked for it after each change.

const PREVIEW_PAUSE_MS = 350;

for (const form of document.querySelectorAll("[data-hours-form]")) start(form);

function start(root) {
  for (const day of root.querySelectorAll("[data-hours-day]")) prepareDay(day);
  prepareExceptions(root);
  preparePreview(root);
}

function prepareDay(day) {
  const kind = day.querySelector("[data-hours-kind]");
  const times = day.querySelector("[data-hours-times]");
  const pairs = [...day.querySelectorAll("[data-hours-pair]")];
  const button = day.querySelector("[data-hours-add-pair]");
  const isEmpty = (pair) => [...pair.querySelectorAll("input")].every((input) => !input.value);
  pairs.forEach((pair, number) => {
    pair.hidden = number > 0 && isEmpty(pair);
  });
  const show = () => {
    times.hidden = kind.value !== "times";
    button.hidden = pairs.some((pair) => !pair.hidden && isEmpty(pair));
  };
  kind.addEventListener("change", show);
  day.addEventListener("input", show);
  button.addEventListener("click", () => {
    const next = pairs.find((pair) => pair.hidden) ?? addPair(pairs, button);
    next.hidden = false;
    next.querySelector("input").focus();
    show();
  });
  show();
}

/** One more pair of times behind the others, with the next number in its names. */
function addPair(pairs, button) {
  const pair = pairs.at(-1).cloneNode(true);
  for (const input of pair.querySelectorAll("input")) {
    input.value = "";
    input.name = input.name.replace(/-(\d+)-(opens|closes)$/, `-${pairs.length}-$2`);
  }
  pairs.push(pair);
  button.before(pair);
  return pair;
}

function prepareExceptions(root) {
  const button = root.querySelector("[data-hours-add-exception]");
  const blank = root.querySelector("[data-hours-spare-exception]").cloneNode(true);
  let count = root.querySelectorAll("[data-hours-exception]").length;
  root.querySelector("[data-hours-spare-exception]").hidden = true;
  button.hidden = false;
  button.addEventListener("click", () => {
    const spare = root.querySelector("[data-hours-spare-exception][hidden]");
    const row = spare ?? addException(blank, count, button);
    if (!spare) count += 1;
    row.hidden = false;
    row.querySelector("input").focus();
  });
}

function addException(blank, number, button) {
  const row = blank.cloneNode(true);
  for (const field of row.querySelectorAll("[name]")) field.name = field.name.replace(/-x\d+-/, `-x${number}-`);
  for (const field of row.querySelectorAll("[id]")) field.id = field.id.replace(/-x\d+$/, `-x${number}`);
  button.before(row);
  prepareDay(row.querySelector("[data-hours-day]"));
  return row;
}

function preparePreview(root) {
  const place = root.querySelector("[data-hours-preview]");
  let timer = 0;
  let turns = 0;
  const ask = async () => {
    const turn = (turns += 1);
    const sent = new FormData();
    for (const [name, value] of new FormData(root.closest("form"))) {
      if (typeof value === "string" && (name.startsWith(`${root.dataset.name}-`) || name.startsWith("hours_"))) {
        sent.append(name, value);
      }
    }
    try {
      const answer = await fetch(root.dataset.preview, { method: "POST", body: sent });
      if (!answer.ok || answer.redirected || turn !== turns) return;
      place.innerHTML = await answer.text();
      place.hidden = false;
    } catch {
      // Offline: the form is sent all the same.
    }
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PREVIEW_PAUSE_MS);
  };
  root.closest("form").addEventListener("input", soon);
  root.addEventListener("click", soon);
  ask();
}
