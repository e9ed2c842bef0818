// Unfold draws charts once, on load: after a refresh of the dashboard its new canvases need drawing too.
document.addEventListener("htmx:beforeSwap", (event) => {
  for (const canvas of event.target.querySelectorAll("canvas.chart")) Chart.getChart(canvas)?.destroy();
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.querySelector("canvas.chart")) renderCharts();
});
