// The server's clock: the personal part of a page tells it. Until then the device's own clock stands in.
let offset = null; // milliseconds to add to the device's clock

/** The server's time in unix milliseconds. */
export const now = () => Date.now() + (offset ?? 0);

export const isSet = () => offset !== null;

/** Sets the clock by an answer that was asked for at `sentAt` and has just arrived: it was written half-way. */
export function set(serverNow, sentAt) {
  offset = serverNow + (Date.now() - sentAt) / 2 - Date.now();
}
