"use strict";
// A table that stands in the page, a <tbody> for each row: sorted, searched, filtered and paged.
// What does not pass is taken out of the page, and comes back.
function pagedRows(table, size, passes) {
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...table.tBodies].map((body) => body.rows[0]);
  const texts = new Map();
  const none = table.createTBody();
  none.insertRow().insertCell().textContent = "No row is like that.";
  none.rows[0].cells[0].colSpan = heads.length;
  none.className = "empty";
  none.remove();
  let shown = rows;
  let page = 0;
  let wanted = [];
  let order = null;

  const plain = (text) => text.replaceAll("\u2212", "-").toLowerCase();
  const value = (tr) => {
    const cell = tr.cells[order.column];
    const text = cell.dataset.order ?? cell.textContent;
    return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number"
    ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));

  function find() {
    shown = rows.filter((tr) => passes(tr) && wanted.every((word) => texts.get(tr).includes(word)));
    if (order) {
      const keys = new Map(shown.map((tr) => [tr, value(tr)]));
      const sign = order.down ? -1 : 1;
      // What is blank comes last in any case.
      const blank = (tr) => (keys.get(tr) === "" ? 1 : 0);
      shown.sort((a, b) => blank(a) - blank(b) || sign * compare(keys.get(a), keys.get(b)));
    }
  }

  const nPages = () => Math.max(Math.ceil(shown.length / size), 1);
  const here = () => shown.slice(page * size, (page + 1) * size);

  function put(some) {
    for (const body of [...table.tBodies]) body.remove();
    table.append(...(some.length ? some.map((tr) => tr.parentElement) : [none]));
  }

  const own = {
    rows,
    heads,
    here,
    // The text by which a row is found.
    describe: (tr, text) => texts.set(tr, plain(text)),
    search: (text) => { wanted = plain(text).split(/\s+/).filter(Boolean); },
    sort(column, down) {
      order = column === null ? null : { column, down };
      for (const [i, th] of heads.entries()) {
        if (order && i === column) th.setAttribute("aria-sort", down ? "descending" : "ascending");
        else th.removeAttribute("aria-sort");
      }
    },
    draw() {
      find();
      page = 0;
      own.show();
    },
    show() {
      page = Math.min(page, nPages() - 1);
      put(here());
    },
    // Whether there was a page before or after this one, which is shown now.
    turn(step) {
      if (page + step < 0 || page + step >= nPages()) return false;
      page += step;
      own.show();
      return true;
    },
    info: () => ({
      first: page * size + 1, last: page * size + here().length, count: shown.length, page,
      pages: nPages(),
    }),
  };
  addEventListener("beforeprint", () => put(shown));
  addEventListener("afterprint", own.show);
  return own;
}
