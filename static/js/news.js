// The dot on "Me": asked for once a page, then once a minute while somebody looks. A failure is silent: a minute later
// it is asked for again.
const EVERY = 60_000; // milliseconds
let asked = 0;

function show(dot) {
  for (const link of document.querySelectorAll("[data-news]")) {
    link.querySelector(".news-dot")?.remove();
    link.insertAdjacentHTML("beforeend", dot);
  }
}

async function ask(url) {
  if (document.hidden || Date.now() - asked < EVERY) return;
  asked = Date.now();
  try {
    const answer = await fetch(url);
    if (answer.ok) show(await answer.text());
  } catch {
    // No network: the dot stays as it is.
  }
}

export function start(link) {
  const look = () => ask(link.dataset.news);
  look();
  setInterval(look, EVERY);
  document.addEventListener("visibilitychange", look);
}
