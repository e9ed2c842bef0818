/* The page of the API: Swagger UI, folded up, with the token of whoever logs in on it. */

const place = document.getElementById("swagger-ui");
const dark = window.matchMedia("(prefers-color-scheme: dark)");

/* What was chosen on the site's pages, which the early script has written down, or else the system's theme. */
function followTheme() {
  const root = document.documentElement;
  root.classList.toggle("dark-mode", root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
}

/* After "log in" was tried, all other operations are tried with its token. */
function keepToken(response) {
  if (response.ok && new URL(response.url).pathname === "/api/auth/login") {
    ui.preauthorizeApiKey("bearer", response.body.token ?? JSON.parse(response.text).token);
    document.getElementById("login-state").textContent = place.dataset.loggedIn;
  }
  return response;
}

dark.addEventListener("change", followTheme);
followTheme();

/* Swagger UI leaves some of its lists without a name, and a level of headings out; they come and go as operations are
   unfolded. */
function mendNames() {
  place.querySelectorAll("select:not([aria-label], [aria-labelledby])").forEach((list) => {
    list.setAttribute("aria-label", list.labels[0]?.innerText.trim() || place.dataset.list);
  });
  place.querySelectorAll("h3.opblock-tag:not([aria-level])").forEach((group) => group.setAttribute("aria-level", "2"));
}

new MutationObserver(mendNames).observe(place, { childList: true, subtree: true });

const ui = SwaggerUIBundle({
  dom_id: "#swagger-ui",
  url: place.dataset.document,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "none",
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 3,
  filter: true,
  tryItOutEnabled: true,
  responseInterceptor: keepToken,
});
