"use strict";
// What stands in a closed part has no size: it is prepared when the part opens.
const prepared = new WeakSet();
const prepare = () => {
  for (const at of document.querySelectorAll("figure > .scroll")) {
    if (at.clientWidth === 0 || prepared.has(at)) continue;
    prepared.add(at);
    if (at.classList.contains("waves")) centre(at);
    else enlarges(at);
  }
};
const centre = at => {
  if (at.scrollWidth > at.clientWidth + 1) {
    const hint = document.createElement("p");
    hint.className = "aside hint";
    hint.textContent = "\u2194 Scroll sideways for more cycles.";
    at.before(hint);
  }
  const mark = at.querySelector(".now");
  if (mark) at.scrollLeft = Math.max(0, mark.x.baseVal.value - (at.clientWidth - at.firstElementChild.clientWidth) / 2);
};
const enlarges = at => {
  const svg = at.querySelector("svg");
  if (!svg || svg.width.baseVal.value <= at.clientWidth + 1) return;
  const button = document.createElement("button");
  button.type = "button";
  const show = whole => {
    at.classList.toggle("whole", whole);
    button.textContent = whole ? "Fit to the page" : "Enlarge";
    button.setAttribute("aria-label", button.textContent + ": " + at.getAttribute("aria-label"));
  };
  button.addEventListener("click", () => show(!at.classList.contains("whole")));
  show(false);
  at.after(button);
};
prepare();
document.addEventListener("toggle", prepare, true);
// A link opens the part that it leads to; print opens all.
const reveal = id => {
  const to = id && document.getElementById(id);
  if (!to) return;
  for (let at = to; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  to.scrollIntoView();
};
for (const link of document.querySelectorAll("a[href^='#']")) link.addEventListener("click", () => setTimeout(reveal, 0, link.hash.slice(1)));
addEventListener("hashchange", () => reveal(location.hash.slice(1)));
reveal(location.hash.slice(1));
let printed = [];
addEventListener("beforeprint", () => {
  printed = [...document.querySelectorAll("details:not([open])")];
  for (const part of printed) part.open = true;
});
addEventListener("afterprint", () => { for (const part of printed) part.open = false; });
const parts = [...document.querySelectorAll("details.fold, .answers > details")];
if (parts.length > 1) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "all";
  button.textContent = "Open all";
  button.addEventListener("click", () => {
    const open = button.textContent === "Open all";
    for (const part of parts) part.open = open;
    button.textContent = open ? "Close all" : "Open all";
  });
  document.querySelector("main > .answers, main > section:not(.lead)").before(button);
}
for (const table of document.querySelectorAll("table.sorts")) {
  const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const value = (row, i) => row.cells[i].textContent;
  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    addEventListener("beforeprint", () => head.replaceChildren(button.textContent)); // heads with buttons are not repeated on every sheet
    addEventListener("afterprint", () => head.replaceChildren(button));
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach(h => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const number = head.classList.contains("n");
      const compare = (a, b) => {
        const x = value(a, i), y = value(b, i);
        if (!number) return x < y ? -1 : x > y ? 1 : 0;
        const p = parseFloat(x), q = parseFloat(y);
        return isNaN(p) || isNaN(q) ? isNaN(p) - isNaN(q) : p - q;
      };
      body.append(...[...rows].sort((a, b) => up ? compare(a, b) : compare(b, a)));
    });
  });
  const label = document.createElement("label"), input = document.createElement("input");
  label.className = "filter";
  label.append("Only rows with ", input);
  input.type = "search";
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(w => w);
    for (const row of rows) {
      const text = row.textContent.toLowerCase(), cells = [...row.cells].map((c, i) => (heads[i].textContent + "=" + c.textContent).toLowerCase());
      row.hidden = !words.every(w => w.includes("=") ? cells.includes(w) : text.includes(w));
    }
  });
  table.parentElement.before(label);
}
