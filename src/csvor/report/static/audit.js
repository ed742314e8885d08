"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const find = (id) => document.getElementById(id);
  const config = read("config");
  const body = find("suspects").tBodies[0];
  // All rows: the table library takes those that are not shown out of the page.
  const rows = [...body.rows];
  const decided = new Map();
  let table = null;
  let current = null;
  let unsaved = false;

  // What is decided, and where it is kept.

  const storage = (() => {
    try {
      localStorage.setItem("csvor", "");
      localStorage.removeItem("csvor");
      return localStorage;
    } catch {
      return null;
    }
  })();
  const key = `csvor-decisions-${config.store}`;

  function restore() {
    const kept = JSON.parse((storage && storage.getItem(key)) || "[]");
    const byRow = new Map(rows.map((tr) => [tr.dataset.row, tr]));
    for (const [row, decision, label] of kept) {
      if (byRow.has(row)) decided.set(byRow.get(row), { decision, label });
    }
  }

  function keep() {
    unsaved = decided.size > 0;
    if (!storage) return;
    const kept = [...decided].map(([tr, d]) => [tr.dataset.row, d.decision, d.label]);
    storage.setItem(key, JSON.stringify(kept));
  }

  function decide(tr, decision, label) {
    if (decision) decided.set(tr, { decision, label });
    else decided.delete(tr);
    keep();
    show(tr);
    count();
    tell(`row ${tr.dataset.row}: ${words(tr) || "no decision"}; ${progress()}`);
  }

  // The label that relabelling a row gives: the one suggested, if there is another.
  const suggestion = (tr) => (tr.dataset.suggested === tr.dataset.given ? "" : tr.dataset.suggested);

  // Where there is none, the list of labels is asked.
  function relabel(tr) {
    if (suggestion(tr)) {
      decide(tr, "relabel", suggestion(tr));
    } else {
      select(tr);
      other.lastChild.focus();
    }
    return decided.has(tr);
  }

  // What is shown of it.

  function words(tr) {
    const d = decided.get(tr);
    if (!d) return "";
    return d.decision === "relabel" ? `relabel as ${d.label}` : d.decision;
  }

  function show(tr) {
    const d = decided.get(tr);
    tr.classList.toggle("done", Boolean(d));
    for (const button of tr.querySelectorAll("[data-decision]")) {
      const own = button.dataset.decision;
      button.setAttribute("aria-pressed", String(Boolean(d) && d.decision === own));
      if (own === "relabel") {
        const label = d && d.decision === own ? d.label : suggestion(tr);
        button.textContent = label ? `→ ${label}` : "Relabel";
        button.title = label ? `Relabel as ${label}` : "Relabel";
        button.setAttribute("aria-label", button.title);
      }
    }
    tr.querySelector(".decided").textContent = words(tr);
    tr.querySelector(".decide").dataset.order = words(tr) || "~";
    if (table) table.row(tr).invalidate("dom");
    if (tr === current) other.lastChild.value = d ? d.label : "";
  }

  function progress() {
    const earlier = config.earlier.length ? ` (and ${config.earlier.length} before)` : "";
    return `${decided.size} decided${earlier}`;
  }

  function count() {
    find("progress").textContent = progress();
    find("forget").disabled = !decided.size;
    find("save").disabled = !decided.size && !config.earlier.length;
  }

  const tell = (text) => { find("status").textContent = text; };

  const other = document.createElement("label");
  other.className = "other";
  other.append("another label ", document.createElement("select"));
  other.lastChild.append(new Option("", ""), ...config.classes.map((c) => new Option(c, c)));
  other.lastChild.addEventListener("change", (event) => {
    const label = event.target.value;
    if (!label) decide(current, null);
    else if (label === current.dataset.given) decide(current, "keep", "");
    else decide(current, "relabel", label);
  });

  // One row is the current one: it shows its features and takes the keys.

  function select(tr) {
    if (tr === current) return;
    if (current) {
      current.removeAttribute("aria-current");
      reachable(current, -1);
    }
    current = tr;
    if (!tr) return;
    tr.setAttribute("aria-current", "true");
    reachable(tr, 0);
    tr.querySelector(".decide").append(other);
    other.lastChild.value = decided.has(tr) ? decided.get(tr).label : "";
  }

  function reachable(tr, index) {
    tr.tabIndex = index;
    for (const button of tr.querySelectorAll("button")) button.tabIndex = index;
  }

  function go(tr) {
    select(tr);
    tr.focus({ preventScroll: true });
    tr.scrollIntoView({ block: "nearest" });
  }

  const onPage = () => (table ? table.rows({ page: "current" }).nodes().toArray() : rows);

  function move(step) {
    let shown = onPage();
    const at = shown.indexOf(current) + step;
    if (table && (at < 0 || at >= shown.length)) {
      const { page, pages } = table.page.info();
      if (page + step < 0 || page + step >= pages) return;
      table.page(page + step).draw("page");
      shown = onPage();
      go(shown[step > 0 ? 0 : shown.length - 1]);
    } else if (shown[at]) {
      go(shown[at]);
    }
  }

  const rowOf = (target) => target.closest("#suspects > tbody > tr[data-row]");

  body.addEventListener("click", (event) => {
    const tr = rowOf(event.target);
    if (!tr) return;
    const button = event.target.closest("[data-decision]");
    const before = decided.get(tr);
    if (!button) {
      // What was clicked stays under the pointer while another row closes.
      const top = tr.getBoundingClientRect().top;
      select(tr);
      scrollBy(0, tr.getBoundingClientRect().top - top);
    } else if (before && before.decision === button.dataset.decision) {
      decide(tr, null);
    } else if (button.dataset.decision === "relabel") {
      relabel(tr);
    } else {
      decide(tr, button.dataset.decision, "");
    }
  });
  body.addEventListener("focusin", (event) => {
    const tr = rowOf(event.target);
    // Not by a pointer that is still down: rows would move away under it.
    if (tr && event.target.matches(":focus-visible")) select(tr);
  });

  function decideAndGoOn(decision, label) {
    decide(current, decision, label);
    move(1);
  }

  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    k: () => decideAndGoOn("keep", ""),
    r: () => relabel(current) && move(1),
    d: () => decideAndGoOn("drop", ""),
    u: () => decide(current, null),
  };
  if (config.classes.length <= 9) {
    config.classes.forEach((label, i) => {
      keys[i + 1] = () => (label === current.dataset.given
        ? decideAndGoOn("keep", "") : decideAndGoOn("relabel", label));
    });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest("input, select, textarea");
    if (typing) {
      if (event.key === "Escape" && current) go(current);
      return;
    }
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const tr = rowOf(event.target);
    if (name === "/") {
      find("search").focus();
    } else if (tr && Object.hasOwn(keys, name)) {
      select(tr);
      keys[name]();
    } else {
      return;
    }
    event.preventDefault();
  });

  // Saving.

  const cell = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  function csv() {
    const names = ["row", ...(config.id ? [config.id] : []), "target", "given", "decision", "label"];
    const command = config.command ? [config.command] : [];
    const earlier = config.earlier.map((one) => names.map((name) => String(one[name] ?? "")));
    const now = [...decided].map(([tr, d]) => [
      tr.dataset.row, ...(config.id ? [tr.dataset.id] : []), config.target, tr.dataset.given,
      d.decision, d.label,
    ]);
    const all = [...earlier, ...now].sort((a, b) => Number(a[0]) - Number(b[0]));
    // A cell that begins with dashes would be a formula to a spreadsheet: the command is whole.
    const lines = [[...names, ...command.map(() => "audit")], ...all.map((line) => [...line, ...command])];
    return lines.map((line) => line.map(cell).join(",") + "\n").join("");
  }

  find("save").addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = config.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
    unsaved = false;
    tell(`${progress()}, saved as ${config.file}`);
  });
  find("forget").addEventListener("click", () => {
    if (!confirm(`Forget ${decided.size} decision${decided.size > 1 ? "s" : ""}?`)) return;
    const before = [...decided.keys()];
    decided.clear();
    keep();
    before.forEach(show);
    count();
    tell("no decisions");
  });
  find("kept").textContent = storage ? "kept in this browser" : "not kept by this browser: save them";
  addEventListener("beforeunload", (event) => { if (!storage && unsaved) event.preventDefault(); });

  // Filters.

  const filters = ["which", "given", "suggested", "least", "state"];
  const first = rows.some((tr) => tr.classList.contains("named")) ? "named" : "all";

  function passes(tr) {
    const value = Object.fromEntries(filters.map((name) => [name, find(name).value]));
    const state = decided.has(tr) ? decided.get(tr).decision : "none";
    return (value.which === "all" || tr.classList.contains("named"))
      && (!value.given || tr.dataset.given === value.given)
      && (!value.suggested || tr.dataset.suggested === value.suggested)
      && Number(tr.dataset.p) >= Number(value.least)
      && (!value.state || state === value.state);
  }

  function filter() {
    table.draw();
    const shown = onPage();
    if (shown.length && !shown.includes(current)) select(shown[0]);
  }

  function reset() {
    for (const name of filters) find(name).selectedIndex = 0;
    find("which").value = first;
    find("sort").value = find("search").value = "";
    table.search("").order([]);
  }

  function fill(select, name) {
    const there = new Set(rows.map((tr) => tr.dataset[name]));
    select.append(...config.classes.filter((c) => there.has(c)).map((c) => new Option(c, c)));
  }

  // A minus sign is found by the hyphen that keyboards have.
  const typed = (text) => text.replaceAll("\u2212", "-");

  // The library: sorts, searches and pages.

  async function library() {
    const url = URL.createObjectURL(new Blob([read("library")], { type: "text/javascript" }));
    const { jQuery } = await import(url);
    URL.revokeObjectURL(url);
    return jQuery;
  }

  function makeTable(jQuery) {
    const columns = find("suspects").tHead.rows[0].cells;
    const [decision, why, wrong] = [1, 2, 3].map((back) => columns.length - back);
    table = jQuery("#suspects").DataTable({
      autoWidth: false,
      order: [],
      pageLength: 25,
      layout: { topStart: null, topEnd: null, bottomStart: "info", bottomEnd: "paging" },
      columnDefs: [
        { targets: decision, searchable: false },
        { targets: why, orderable: false },
        { targets: wrong, orderSequence: ["desc", "asc"] },
      ],
      language: {
        info: "_START_ to _END_ of _TOTAL_ rows",
        infoEmpty: "no rows",
        infoFiltered: "",
        emptyTable: "No rows.",
        zeroRecords: "No row is like that.",
      },
    });
    table.search.fixed("filters", (text, data, index) => passes(table.row(index).node()));
    table.on("page", () => select(onPage()[0] ?? null));
    addEventListener("beforeprint", () => table.page.len(-1).draw());
    addEventListener("afterprint", () => table.page.len(25).draw(false));
    for (const [i, th] of [...columns].entries()) {
      if (i === why) continue;
      find("sort").append(new Option(th.querySelector(".dt-column-title").textContent, i));
    }
    find("sort").addEventListener("change", (event) => {
      const at = event.target.value;
      table.order(at === "" ? [] : [[Number(at), Number(at) === wrong ? "desc" : "asc"]]);
      filter();
    });
  }

  function makeFilters() {
    fill(find("given"), "given");
    fill(find("suggested"), "suggested");
    for (const name of filters) find(name).addEventListener("change", filter);
    find("search").addEventListener("input", () => {
      table.search(typed(find("search").value));
      filter();
    });
    find("reset").addEventListener("click", () => {
      reset();
      filter();
    });
    for (const button of document.querySelectorAll(".confusion button")) {
      button.addEventListener("click", () => {
        reset();
        find("given").value = button.dataset.given;
        find("suggested").value = button.dataset.suggested;
        filter();
        find("review").scrollIntoView();
        go(onPage()[0]);
      });
    }
  }

  const reveal = (parts) => document.querySelectorAll(parts).forEach((part) => { part.hidden = false; });

  async function begin() {
    restore();
    for (const tr of rows) {
      // Found by its features, not by the classes or rows that stand beside them.
      const why = tr.querySelector(".why");
      const lines = [...why.querySelectorAll(".more tbody tr")];
      const found = lines.map((line) => `${line.cells[0].textContent} ${line.cells[1].textContent}`);
      why.dataset.search = typed(found.join(" "));
      show(tr);
      reachable(tr, -1);
    }
    count();
    select(rows[0] ?? null);
    document.documentElement.classList.add("ready");
    reveal(".keys, .save");
    makeTable(await library());
    makeFilters();
    reset();
    filter();
    reveal(".tools");
  }

  // Without the library, in a browser that is old, rows can still be decided.
  begin().catch((error) => {
    find("broken").hidden = false;
    throw error;
  });
})();
