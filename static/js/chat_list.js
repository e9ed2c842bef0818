// The list of chats draws itself anew when something happened in one of them.
import { onLive } from "./live.js";

const DELAY = 300; // milliseconds: a burst of messages is one look
let timer = 0;

function refresh(list) {
  clearTimeout(timer);
  // Beside an open chat it is out of sight on a narrow screen.
  if (!list.getClientRects().length) return;
  timer = setTimeout(() => list.querySelector("#chat-rows").dispatchEvent(new Event("refresh")), DELAY);
}

export function start(list) {
  for (const name of ["chat", "ready", "reset"]) onLive(name, () => refresh(list));
}
