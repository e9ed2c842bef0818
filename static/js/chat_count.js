// How many chats have news, on the links [data-chats] of the header and the tab bar. The personal part tells which; from
// then on the live stream does: a message of somebody else in a chat that isn't muted, and what was seen in any tab.
import { onLive } from "./live.js";
import { listen } from "./personal.js";

const DELAY = 1_200; // milliseconds: what is read as it comes is never counted
const MAX_SHOWN = 99;

const unread = new Map(); // by chat: the number of its newest message, as far as it is known
let muted = new Set();
let me = 0;
let timer = 0;

function show() {
  for (const link of document.querySelectorAll("[data-chats]")) {
    link.querySelector(".unread-badge")?.remove();
    if (!unread.size) continue;
    const count = link.appendChild(Object.assign(document.createElement("span"), { className: "unread-badge nums" }));
    count.textContent = unread.size > MAX_SHOWN ? `${MAX_SHOWN}+` : unread.size;
  }
}

function update({ kind, chat_id: id, message, number }) {
  if (kind === "message" && message.author?.id !== me && !muted.has(id)) unread.set(id, message.number);
  else if (kind === "left") unread.delete(id);
  else if (kind === "seen" && number >= (unread.get(id) ?? 0)) unread.delete(id);
  else return;
  clearTimeout(timer);
  timer = setTimeout(show, kind === "message" ? DELAY : 0);
}

function learn({ person, chats }) {
  me = person?.id ?? 0;
  unread.clear();
  muted = new Set(chats?.muted);
  for (const id of chats?.unread ?? []) unread.set(id, 0);
  show();
}

let isStarted = false;

export function start() {
  if (isStarted) return;
  isStarted = true;
  onLive("chat", update);
  listen(learn);
}
