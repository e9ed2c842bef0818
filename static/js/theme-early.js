// Runs before the first paint (a plain script in <head>), so a chosen theme never flashes.
(function () {
  try {
    const choice = localStorage.getItem("savor-theme");
    if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
  } catch {
    // Storage may be forbidden: the system's theme stays.
  }
  document.documentElement.classList.add("js");
})();
