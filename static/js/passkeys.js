// <form data-passkey="get" data-passkey-options="/…/"> has the browser ask for a passkey ("create": make one) when it is
// sent, and carries its answer in the field "credential". The form is hidden where the browser can't.
const can = Boolean(globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON);

async function ask(form) {
  const answer = await fetch(form.dataset.passkeyOptions, { method: "POST" });
  const options = await answer.json();
  if (!answer.ok) return { refusal: options.detail };
  const made =
    form.dataset.passkey === "create"
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  return { credential: JSON.stringify(made) };
}

async function send(event) {
  const form = event.target;
  if (!form.matches("[data-passkey]")) return;
  event.preventDefault();
  const words = form.querySelector("[data-passkey-words]");
  words.textContent = "";
  event.submitter.disabled = true;
  // Who closes the browser's question has chosen another way; what else can fail here is said alike.
  const { credential, refusal } = await ask(form).catch(() => ({ refusal: words.dataset.passkeyWords }));
  event.submitter.disabled = false;
  if (!credential) {
    words.textContent = refusal;
    return;
  }
  form.elements.credential.value = credential;
  form.submit();
}

function show() {
  for (const form of document.querySelectorAll("[data-passkey]")) form.hidden = !can;
  for (const words of document.querySelectorAll("[data-no-passkeys]")) words.hidden = can;
}

document.addEventListener("submit", send);
document.body.addEventListener("htmx:load", show);
show();
