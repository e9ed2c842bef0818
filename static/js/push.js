// [data-push]: whether the reader's notifications appear in this browser, also while the site is closed. The value is the
// site's public key; the browser's push service gives an address, which the site keeps with this log-in.

const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));

class Push {
  constructor(place, registration) {
    this.place = place;
    this.registration = registration;
    // Where the site sends for this log-in: the browser's subscription may be of one that has ended.
    this.known = new Set(JSON.parse(place.dataset.pushEndpoints));
    this.start = place.querySelector("[data-push-start]");
    this.end = place.querySelector("[data-push-end]");
    this.start.addEventListener("click", () => this.attempt(() => this.subscribe()));
    this.end.addEventListener("click", () => this.attempt(() => this.unsubscribe()));
  }

  async show() {
    const subscription = await this.registration.pushManager.getSubscription();
    const isOn = subscription !== null && this.known.has(subscription.endpoint);
    this.start.hidden = isOn;
    this.end.hidden = !isOn;
    this.place.hidden = false;
  }

  say(words) {
    this.place.querySelector("[data-push-words]").textContent = words;
  }

  async attempt(work) {
    this.start.disabled = this.end.disabled = true;
    this.say("");
    await work().catch(() => this.say(this.place.dataset.failed));
    this.start.disabled = this.end.disabled = false;
    await this.show();
  }

  async subscribe() {
    if ((await Notification.requestPermission()) !== "granted") return this.say(this.place.dataset.refused);
    // One that is there is of a log-in that has ended, perhaps another person's, or of a former key of the site.
    await (await this.registration.pushManager.getSubscription())?.unsubscribe();
    const applicationServerKey = bytesOf(this.place.dataset.push);
    const subscription = await this.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
    const { endpoint, keys } = subscription.toJSON();
    try {
      await this.send(this.place.dataset.pushOn, { endpoint, p256dh: keys.p256dh, secret: keys.auth });
      this.known.add(endpoint);
    } catch (error) {
      await subscription.unsubscribe();
      throw error;
    }
  }

  async unsubscribe() {
    const subscription = await this.registration.pushManager.getSubscription();
    if (!subscription) return;
    const { endpoint } = subscription;
    await subscription.unsubscribe();
    await this.send(this.place.dataset.pushOff, { endpoint });
  }

  async send(url, fields) {
    const answer = await fetch(url, { method: "POST", body: new URLSearchParams(fields) });
    // A log-in that has ended leads to its page.
    if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
  }
}

/** The part stays hidden where the browser can't, or keeps no worker. */
export async function start(place) {
  if (!navigator.serviceWorker || !window.PushManager || !window.Notification) return;
  navigator.serviceWorker.ready.then((registration) => new Push(place, registration).show());
}
