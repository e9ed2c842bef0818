// Receipts of accepted claims, kept until the order is seen recorded. Should a server lose an order before that, its
// receipt brings it back: whichever page misses it hands the receipt in by itself.
const KEY = "savor-receipts"; // order -> { sale, receipt, keptAt }; app.js knows the name, too
const MAX_KEPT = 20;
const SWEEP_AFTER = 10_000; // milliseconds; until then the page of the sale or of the order looks after it
const MAX_TRIES = 10;

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {}; // storage is forbidden, or somebody else wrote there
  }
}

function write(kept) {
  try {
    if (Object.keys(kept).length) localStorage.setItem(KEY, JSON.stringify(kept));
    else localStorage.removeItem(KEY);
  } catch {
    // Nothing is kept.
  }
}

export function keep(order, sale, receipt) {
  const others = Object.entries(read()).slice(1 - MAX_KEPT);
  write(Object.fromEntries([...others, [order, { sale, receipt, keptAt: Date.now() }]]));
}

export function forget(order) {
  const { [order]: known, ...others } = read();
  if (known) write(others);
}

const all = () => Object.entries(read()).map(([order, kept]) => ({ order, ...kept }));

/** A kept receipt of a sale that is for none of the known orders, or undefined. */
export const ofSale = (sale, known = []) => all().find((kept) => kept.sale === sale && !known.includes(kept.order));

async function send({ sale, receipt }) {
  try {
    return await fetch(`/api/vouchers/${sale}/seckill`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ receipt }),
    });
  } catch {
    return null;
  }
}

const pause = (seconds) => new Promise((done) => setTimeout(done, (seconds + Math.random()) * 1000));

/** What the site says of a receipt: { order_id }, or a refusal with its detail; {} when it can't say yet. */
export async function handIn(kept) {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const answer = await send(kept);
    if (answer?.status === 401 || answer?.status === 403) return {}; // of another person, who may come back
    if (answer && answer.status !== 429 && answer.status < 500) {
      forget(kept.order);
      return answer.json().catch(() => ({}));
    }
    await pause(Number(answer?.headers.get("Retry-After")) || 1);
  }
  return {};
}

/** Receipts whose orders no page has seen recorded. */
export function sweep() {
  const due = all().filter(({ keptAt }) => Date.now() - keptAt > SWEEP_AFTER);
  return Promise.all(due.map(handIn));
}

async function bringBack(element) {
  const kept = all().find(({ order }) => order === element.dataset.lostOrder);
  if (!kept) return;
  element.querySelector("[data-trying]").hidden = false;
  const body = await handIn(kept);
  if (body.order_id) return location.assign(`${element.dataset.orders}${body.order_id}/`);
  element.querySelector("[data-trying]").hidden = true;
  if (body.detail) element.querySelector("[data-message]").textContent = body.detail;
}

/** [data-lost-order]: an order that the site doesn't know; [data-order]: one that it does. */
export function start(element) {
  if ("lostOrder" in element.dataset) bringBack(element);
  else if (element.dataset.orderState !== "queued") forget(element.dataset.order);
}
