// The page for when the network is away (templates/offline/page.html): what its reader has written and not sent. It stands
// alone, without app.js: all that it needs is kept with the page (service_worker.js).
import { keysOf, read } from "./draft_store.js";

const MAX_DRAFTS = 20;
const MAX_LENGTH = 200; // characters of each that are shown

/** The longest that somebody wrote in a form; what the form was made from (apps/web/form_state.py) nobody wrote. */
function excerpt({ made_from: _, ...fields }) {
  const written = Object.values(fields).flat().filter((value) => typeof value === "string");
  return written.reduce((longest, value) => (value.length > longest.length ? value : longest), "").trim();
}

function listDrafts(person) {
  const keys = new Set([...keysOf(person), ...keysOf(0)]);
  return [...keys]
    .map((key) => ({ name: key.split(":")[2], ...read(key) }))
    .filter(({ fields }) => fields && excerpt(fields))
    .sort((one, other) => other.at - one.at)
    .slice(0, MAX_DRAFTS);
}

function show(place, drafts) {
  const row = place.querySelector("template");
  for (const { name, at, fields } of drafts) {
    const drawn = row.content.cloneNode(true);
    const kind = [...drawn.querySelectorAll("[data-kind]")].find(({ dataset }) => dataset.kind === name);
    if (kind) kind.hidden = false;
    const text = excerpt(fields);
    drawn.querySelector("[data-text]").textContent = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
    const time = drawn.querySelector("time");
    time.dateTime = new Date(at).toISOString();
    time.textContent = new Date(at).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
    row.parentElement.append(drawn);
  }
  place.hidden = !drafts.length;
}

const place = document.querySelector("[data-drafts]");
show(place, listDrafts(place.dataset.drafts));
// As app.js and personal.js say it of other pages.
document.documentElement.dataset.reader = place.dataset.drafts === "0" ? "visitor" : "person";
document.documentElement.dataset.started = "";
