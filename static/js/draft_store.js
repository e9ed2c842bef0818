// What somebody has written and not sent, in this browser: a draft a form, under its person. 0 is a visitor.
const PREFIX = "savor-draft:";
export const ENDED = "";
const RETENTION = 30 * 24 * 3600 * 1000; // milliseconds

export const attempt = (work) => {
  try {
    return work();
  } catch {
    return null; // Storage may be forbidden or full: then a reload loses it.
  }
};

/** The key of a person's draft; 0 is a visitor. */
export const keyOf = (person, name) => `${PREFIX}${person}:${name}`;

export function read(key) {
  const draft = attempt(() => JSON.parse(localStorage.getItem(key)));
  return draft?.fields && Date.now() - draft.at < RETENTION ? draft : null;
}

/** Whether it was kept. */
export function write(key, fields) {
  return attempt(() => localStorage.setItem(key, JSON.stringify({ at: Date.now(), fields })) ?? true) === true;
}

export const forget = (key) => attempt(() => localStorage.removeItem(key));

/** Their person logs out: the empty value tells pages in other tabs, which would keep theirs anew. */
export function end(key) {
  attempt(() => localStorage.setItem(key, ENDED));
  forget(key);
}

/** The keys of all drafts of a person. */
export function keysOf(person) {
  return (attempt(() => Object.keys(localStorage)) ?? []).filter((key) => key.startsWith(keyOf(person, "")));
}

/** Whether drafts may have files: pages of a browser without any don't load what keeps them; see kept_files.js. */
export const FILES = "savor-files";
export const hasFiles = () => attempt(() => localStorage.getItem(FILES)) !== null;
