// A stock bar (parts/stock.html) shows how many are left.
export function showUnits(element, left) {
  const words = element.querySelector("[data-left]");
  if (!words) return;
  words.textContent = left ? words.dataset.some.replace("{n}", left) : words.dataset.none;
  element.querySelector("progress").value = left;
}
