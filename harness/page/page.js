"use strict";
// Tables: a click on a header sorts by it, and long ones get a box that filters their rows.
(() => {
  const LONG = 15;
  const number = (text) => {
    const found = /^[-+]?[$]?-?[\d,]*\.?\d+/.exec(text.replace(/^(over|under) /, ""));
    return found === null ? null : Number(found[0].replace(/[$,]/g, ""));
  };
  const order = (one, other) => {
    const [left, right] = [number(one), number(other)];
    if (left !== null && right !== null && left !== right) return left - right;
    return one.localeCompare(other, "en", { numeric: true });
  };
  const sort = (table, header, at) => {
    const down = header.getAttribute("aria-sort") === "ascending";
    const rows = [...table.tBodies[0].rows].map((row) => [row.cells[at].textContent, row]);
    // A cell that is empty or not known stays below in either direction.
    const empty = (text) => text === "" || text === "?" || text === "? s" || text === "unpriced";
    rows.sort(([one], [other]) => empty(one) - empty(other) || (down ? order(other, one) : order(one, other)));
    for (const other of table.tHead.querySelectorAll("th")) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const header of table.tHead.querySelectorAll("th")) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      button.addEventListener("click", () => sort(table, header, header.cellIndex));
      header.append(button);
    }
    if (table.tBodies[0].rows.length < LONG) continue;
    const label = document.createElement("label");
    const input = document.createElement("input");
    const count = document.createElement("output");
    label.className = "filter";
    input.type = "search";
    label.append("Filter", input, count);
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
        shown += !row.hidden;
      }
      count.textContent = wanted ? `${shown} of ${table.tBodies[0].rows.length}` : "";
    });
    table.parentElement.before(label);
  }
})();
