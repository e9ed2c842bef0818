// The number of unread notifications follows the live stream: the page asks for it anew, not all pages at once.
import { onLive } from "./live.js";
import { ask } from "./personal.js";

const SPREAD = 1_500; // milliseconds
let timer = 0;

function askSoon() {
  timer ||= setTimeout(() => {
    timer = 0;
    ask();
  }, Math.random() * SPREAD);
}

let isStarted = false;

export function start() {
  if (isStarted) return;
  isStarted = true;
  onLive("mailbox", askSoon);
}
