// Files that somebody has chosen and the site does not have yet, in this browser: each belongs to a draft, and lives as
// long as that does (see draft_store.js). A draft names its files, so one that is gone is missed, not forgotten.
import { FILES, attempt, read } from "./draft_store.js";
import { make as makeId } from "./request_tokens.js";

const MAX_BYTES = 100 * 1024 * 1024; // of all drafts together: a note's nine photos of 10 MB fit

const ids = new WeakMap(); // by file
const known = new Map(); // files of this page by id, with the draft under which each is kept: {file, draft}
let opening = null;

function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("savor-files", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("files", { keyPath: "id" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** What a request to the store answers, once all of its transaction is on the disk. */
async function run(mode, work) {
  const database = await (opening ??= open());
  const transaction = database.transaction("files", mode);
  const request = work(transaction.objectStore("files"));
  await new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
  return request?.result;
}

/** The id of a chosen file, by which a draft names it. */
export function idOf(file, id = ids.get(file) ?? makeId()) {
  ids.set(file, id);
  if (!known.has(id)) known.set(id, { file, draft: null });
  return id;
}

/** Older files of other drafts go before there is too much. */
async function makeRoom(draft, size) {
  const all = await run("readonly", (files) => files.getAll());
  let total = size + all.reduce((sum, kept) => sum + kept.file.size, 0);
  for (const kept of all.filter((each) => each.draft !== draft).sort((one, other) => one.at - other.at)) {
    if (total <= MAX_BYTES) break;
    total -= kept.file.size;
    await drop(kept.id);
  }
  return total <= MAX_BYTES;
}

/** Whether a draft's file is kept now. */
export async function keep(draft, file) {
  const id = idOf(file);
  if (known.get(id).draft === draft) return true;
  known.get(id).draft = draft;
  try {
    localStorage.setItem(FILES, "1");
    // It may have arrived at the site meanwhile, and been dropped.
    if ((await makeRoom(draft, file.size)) && known.get(id).draft === draft) {
      await run("readwrite", (files) => files.put({ id, draft, at: Date.now(), file }));
      return true;
    }
  } catch {
    // Storage may be forbidden or full.
  }
  known.get(id).draft = null;
  return false;
}

/** The file of an id, or null. */
export async function load(id) {
  if (known.has(id)) return known.get(id).file;
  const kept = await run("readonly", (files) => files.get(id)).catch(() => null);
  if (kept) known.set(idOf(kept.file, id), kept);
  return kept?.file ?? null;
}

/** It is on the site, or nobody wants it; this page has it until it ends. */
export async function drop(id) {
  if (known.has(id)) known.get(id).draft = null;
  await run("readwrite", (files) => files.delete(id)).catch(() => {});
}

/** Puts a kept file into its field as if it were chosen now; whether it was there. */
export async function putBack(input, id) {
  const file = await load(id);
  if (!file) return false;
  const chosen = new DataTransfer();
  chosen.items.add(file);
  input.files = chosen.files;
  ids.set(input.files[0], id);
  input.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
}

/** Files whose draft was sent, thrown away, or ended with its person's log-out are deleted. */
export async function sweep() {
  const all = await run("readonly", (files) => files.getAll()).catch(() => []);
  const left = all.filter((kept) => read(kept.draft));
  for (const kept of all) if (!left.includes(kept)) await drop(kept.id);
  if (!left.length) attempt(() => localStorage.removeItem(FILES));
}
