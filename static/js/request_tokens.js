// The name of a claim that is not settled yet, kept per sale: a reload, or another try, repeats the same claim.
const unkept = new Map(); // where storage is forbidden

const key = (sale) => `savor-claim-${sale}`;

export function make() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function of(sale) {
  try {
    const kept = sessionStorage.getItem(key(sale)) ?? make();
    sessionStorage.setItem(key(sale), kept);
    return kept;
  } catch {
    if (!unkept.has(sale)) unkept.set(sale, make());
    return unkept.get(sale);
  }
}

/** It is settled: the next claim is another one. */
export function forget(sale) {
  unkept.delete(sale);
  try {
    sessionStorage.removeItem(key(sale));
  } catch {
    // Nothing was kept.
  }
}
