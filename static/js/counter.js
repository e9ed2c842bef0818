// The counter of a shop: the camera reads codes where the browser can (BarcodeDetector), else a photo is sent to be read.
// A request without an answer says so; sent again it redeems nothing twice, since its form keeps its token.
const EVERY = 150; // milliseconds between two looks
const LONGEST = 1200; // pixels: as large as the site reads it

async function readsCodes() {
  if (!("BarcodeDetector" in window) || !navigator.mediaDevices?.getUserMedia) return false;
  return (await BarcodeDetector.getSupportedFormats()).includes("qr_code");
}

function say(counter, name) {
  const status = counter.querySelector("[data-counter-status]");
  status.textContent = status.dataset[name] ?? "";
  status.hidden = !status.textContent;
}

function enter(counter, code) {
  const form = counter.querySelector("[data-counter-form]");
  form.elements.code.value = code;
  form.requestSubmit();
}

async function look(counter, video, stopped) {
  const detector = new BarcodeDetector({ formats: ["qr_code"] });
  while (!stopped() && counter.isConnected) {
    const [found] = await detector.detect(video).catch(() => []);
    if (found?.rawValue) return found.rawValue;
    await new Promise((resolve) => setTimeout(resolve, EVERY));
  }
  return "";
}

async function scan(counter) {
  const video = counter.querySelector("video");
  const stop = counter.querySelector("[data-counter-stop]");
  const begin = counter.querySelector("[data-counter-start]");
  say(counter, "");
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" }, audio: false });
  } catch (error) {
    say(counter, error.name === "NotAllowedError" ? "denied" : "absent");
    counter.querySelector("[data-counter-photo]").hidden = false;
    return;
  }
  let over = false;
  stop.onclick = () => (over = true);
  [video.hidden, stop.hidden, begin.hidden] = [false, false, true];
  video.srcObject = stream;
  try {
    await video.play();
    const code = await look(counter, video, () => over);
    if (code) enter(counter, code);
  } finally {
    for (const track of stream.getTracks()) track.stop();
    [video.hidden, stop.hidden, begin.hidden] = [true, true, false];
  }
}

// A photo of a phone has ten times the pixels that reading it takes; as it is where the browser can't draw it.
async function shrink(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [bitmap.width * scale, bitmap.height * scale];
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.85));
  const files = new DataTransfer();
  files.items.add(new File([blob], "code.jpg", { type: "image/jpeg" }));
  return files.files;
}

function startPhoto(form) {
  const input = form.elements.photo;
  form.querySelector("button").hidden = true;
  input.addEventListener("change", async () => {
    if (!input.files.length) return;
    input.files = await shrink(input.files[0]).catch(() => input.files);
    form.requestSubmit();
  });
}

function startOffline(counter) {
  const notice = counter.querySelector("[data-counter-offline]");
  const setHidden = (hidden) => () => (notice.hidden = hidden);
  for (const name of ["htmx:sendError", "htmx:timeout"]) counter.addEventListener(name, setHidden(false));
  counter.addEventListener("htmx:beforeRequest", setHidden(true));
}

export async function start(counter) {
  startOffline(counter);
  const photo = counter.querySelector("[data-counter-photo]");
  if (!photo) return;
  startPhoto(photo);
  if (!(await readsCodes())) return;
  photo.hidden = true;
  counter.querySelector("[data-counter-camera]").hidden = false;
  counter.querySelector("[data-counter-start]").addEventListener("click", () => scan(counter));
}
