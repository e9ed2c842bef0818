// Who reads this page: their picture and name in the header, and how many notifications are unread.
const HUES = 8; // static/css has as many
const MOST_SHOWN = 99;

/** What a reader takes for the first character: a flag is one, and so is a family. */
function firstCharacter(text) {
  const segments = Intl.Segmenter ? new Intl.Segmenter().segment(text) : [];
  const [first] = Array.from(segments, ({ segment }) => segment);
  return first ?? [...text][0] ?? "?";
}

/** A person's picture, or their letter on a colour. */
export function picture({ id, nickname, avatar }) {
  const drawn = document.createElement(avatar ? "img" : "span");
  drawn.className = "avatar avatar--small";
  if (avatar) return Object.assign(drawn, { src: avatar, alt: "", width: 44, height: 44 });
  drawn.classList.add(`avatar--hue-${id % HUES}`);
  drawn.textContent = firstCharacter(nickname).toUpperCase();
  drawn.ariaHidden = "true";
  return drawn;
}

/** The next page keeps the place of the picture free instead of showing "Log in" first; see early_script.js. */
function remember(person) {
  document.documentElement.classList.toggle("returning", Boolean(person));
  try {
    if (person) localStorage.setItem("savor-person", "1");
    else localStorage.removeItem("savor-person");
  } catch {
    // Storage may be forbidden: then "Log in" is seen for a moment.
  }
}

export function showPerson(person) {
  remember(person);
  for (const link of document.querySelectorAll("[data-me]")) {
    link.hidden = !person; // it has no name before this
    if (!person) continue;
    link.querySelector(".avatar").replaceWith(picture(person));
    link.querySelector("[data-nickname]").textContent = person.nickname;
  }
}

function span(className, textContent) {
  return Object.assign(document.createElement("span"), { className, textContent });
}

/** The number of unread notifications on the bell; people who can't see it hear it with the link's name. */
export function showUnread(unread) {
  for (const link of document.querySelectorAll("[data-new]")) {
    link.querySelectorAll("[data-unread]").forEach((part) => part.remove());
    link.ariaLabel = link.dataset.name;
    if (!unread) continue;
    link.ariaLabel = `${link.dataset.name} ${link.dataset.new.replace("{n}", unread)}`;
    const number = span("unread-badge nums", unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread);
    number.ariaHidden = "true";
    number.dataset.unread = "";
    link.append(number);
  }
}
