// <button data-resend="30"> waits that many seconds before it may be pressed, and shows them in [data-resend-left].
function wait(button) {
  const until = Date.now() + Number(button.dataset.resend) * 1000;
  const countdown = button.querySelector("[data-resend-left]");
  button.removeAttribute("data-resend");
  const tick = () => {
    const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
    button.disabled = left > 0;
    countdown.textContent = left ? `(${left})` : "";
    if (left && button.isConnected) setTimeout(tick, 1000);
  };
  tick();
}

function start(root) {
  root.querySelectorAll("[data-resend]").forEach(wait);
}

document.body.addEventListener("htmx:load", ({ detail }) => start(detail.elt.parentElement ?? document));
start(document);
