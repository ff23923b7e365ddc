"use strict";
const form = document.getElementById("filter");
const words = document.getElementById("words");
const boxes = [...form.querySelectorAll("[data-tone]")];
const items = [...document.querySelectorAll(".fixture")];
function apply() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const tones = new Set(boxes.filter((box) => box.checked).map((box) => box.dataset.tone));
  let shown = 0;
  for (const item of items) {
    const fits = tones.has(item.dataset.tone)
      && wanted.every((word) => item.dataset.words.includes(word));
    item.hidden = !fits;
    shown += fits;
  }
  document.getElementById("shown").textContent = `${shown} of ${items.length}`;
}
function follow() {
  const item = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (item && item.classList.contains("fixture")) {
    item.hidden = false;
    item.open = true;
    item.scrollIntoView();
  }
}
form.hidden = false;
form.addEventListener("input", apply);
form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", follow);
apply();
follow();
