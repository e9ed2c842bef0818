// Before the first paint, inside <head>: a chosen theme never flashes, who was logged in doesn't see "Log in".
(function () {
  try {
    const choice = localStorage.getItem("savor-theme");
    if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
    if (localStorage.getItem("savor-person")) document.documentElement.classList.add("returning");
  } catch {
    // Storage may be forbidden: the system's theme stays.
  }
  document.documentElement.classList.add("js");
})();
