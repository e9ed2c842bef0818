// The chosen one of a row that is wider than its window is in the middle, not out of sight.
export function start(chosen) {
  const row = chosen.parentElement;
  row.scrollLeft = chosen.offsetLeft - row.offsetLeft - (row.clientWidth - chosen.offsetWidth) / 2;
}
