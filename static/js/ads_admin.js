// The form of an ad: a preview in both languages that follows what is typed and which picture is chosen.
function follow(form, previews) {
  const text = (name) => form.elements[name]?.value.trim() ?? "";
  const advertisers = JSON.parse(document.querySelector("#ad-advertisers").textContent);
  const write = () => {
    for (const preview of previews) {
      const [own, other] = preview.dataset.previewLanguage === "zh" ? ["zh", "en"] : ["en", "zh"];
      for (const part of ["title", "text"]) {
        const place = preview.querySelector(`[data-preview-${part}]`);
        place.textContent = text(`${part}_${own}`) || text(`${part}_${other}`);
      }
      preview.querySelector("[data-preview-advertiser]").textContent = advertisers[text("campaign")]?.[own] ?? "";
    }
  };
  form.addEventListener("input", write);
  form.addEventListener("change", write);
  form.elements.picture?.addEventListener("change", ({ target }) => showPicture(target.files[0], previews));
  write();
}

// As a data: address, which the admin's policy allows.
function showPicture(file, previews) {
  if (!file) return;
  const reader = new FileReader();
  reader.addEventListener("load", () => {
    for (const preview of previews) {
      Object.assign(preview.querySelector("img"), { src: reader.result, hidden: false });
    }
  });
  reader.readAsDataURL(file);
}

document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("#ad_form");
  const previews = [...document.querySelectorAll("[data-preview-language]")];
  if (form && previews.length) follow(form, previews);
});
