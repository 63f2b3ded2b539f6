"use strict";
const half = document.getElementById("by-half");
const reason = document.getElementById("by-reason");
const words = document.getElementById("by-text");
const shown = document.getElementById("shown");
const cards = Array.from(document.querySelectorAll("article.answer"), card => [card, card.textContent.toLowerCase()]);
function show() {
  const wanted = words.value.trim().toLowerCase();
  let count = 0;
  for (const [card, text] of cards) {
    const fits = (!half.value || card.dataset.half === half.value)
      && (!reason.value || card.dataset.reason === reason.value)
      && (!wanted || text.includes(wanted));
    card.hidden = !fits;
    count += fits;
  }
  shown.textContent = count + " of " + cards.length + " shown";
}
for (const field of [half, reason, words]) field.addEventListener("input", show);
document.getElementById("filters").hidden = false;
show();
