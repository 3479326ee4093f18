"use strict";
// Tables are sorted by a click on a heading; a long one shows its first rows, a filter, and a button for the rest.
const SHOWN = 200;

function value(row, column) {
  const text = row.cells[column].textContent.trim();
  const number = Number(text.replace(/[,%]/g, ""));
  return text === "" || text === "-" ? null : Number.isNaN(number) ? text : number;
}

function compare(a, b) {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1; // what is not there comes last, either way
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}

function sort(table, column, descending) {
  const body = table.tBodies[0];
  const keyed = Array.from(body.rows, (row, place) => ({ row, place, key: value(row, column) }));
  keyed.sort((a, b) => {
    const order = compare(a.key, b.key);
    const turned = descending && a.key !== null && b.key !== null ? -order : order;
    return turned || a.place - b.place;
  });
  body.append(...keyed.map((entry) => entry.row));
}

function makeSortable(table, refresh) {
  table.querySelectorAll("thead th").forEach((heading, column) => {
    if (!heading.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const descending = heading.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sort(table, column, descending);
      refresh();
    });
  });
}

function makeLong(table) {
  const body = table.tBodies[0];
  if (body.rows.length <= SHOWN) return () => {};
  const tools = document.createElement("div");
  tools.className = "tools";
  const filter = document.createElement("input");
  filter.type = "search";
  filter.placeholder = "filter";
  filter.setAttribute("aria-label", "show the rows that hold");
  const all = document.createElement("button");
  all.type = "button";
  const count = document.createElement("span");
  count.className = "aside";
  tools.append(filter, all, count);
  table.parentElement.before(tools);
  let limit = SHOWN;
  function refresh() {
    const wanted = filter.value.toLowerCase();
    let found = 0;
    for (const row of body.rows) {
      const fits = !wanted || row.textContent.toLowerCase().includes(wanted);
      if (fits) found += 1;
      row.hidden = !fits || found > limit;
    }
    const shown = Math.min(found, limit);
    count.textContent = `${shown.toLocaleString("en")} of ${found.toLocaleString("en")} rows`;
    all.textContent = limit === SHOWN ? "show all" : `show ${SHOWN}`;
  }
  filter.addEventListener("input", refresh);
  all.addEventListener("click", () => {
    limit = limit === SHOWN ? Infinity : SHOWN;
    refresh();
  });
  refresh();
  return refresh;
}

for (const table of document.querySelectorAll("table")) makeSortable(table, makeLong(table));
