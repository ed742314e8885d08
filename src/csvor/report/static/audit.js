(() => {
  const find = (id) => document.getElementById(id);
  const config = JSON.parse(find("config").textContent);
  const suspects = find("suspects");
  const named = (tr) => tr.classList.contains("named");
  const decided = new Map();
  const comments = new Map();
  // Decisions of a file that was opened, on rows that are not on this page.
  const elsewhere = new Map();
  let current = null;
  let unsaved = false;

  const filters = ["which", "given", "suggested", "least", "state"];
  const table = pagedRows(suspects, 25, (tr) => {
    const value = Object.fromEntries(filters.map((name) => [name, find(name).value]));
    const state = decided.has(tr) ? decided.get(tr).decision : "none";
    const listed = { named: named(tr), all: true }[value.which] ?? places.get(tr) < value.which;
    return listed
      && (!value.given || tr.dataset.given === value.given)
      && (!value.suggested || tr.dataset.suggested === value.suggested)
      && Number(tr.dataset.p) >= Number(value.least)
      && (!value.state || state === value.state);
  });
  const { rows, heads } = table;
  const byNumber = new Map(rows.map((tr) => [tr.dataset.row, tr]));
  const places = new Map(rows.map((tr, i) => [tr, i]));

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
  const key = `csvor-review-${config.store}`;

  function restore() {
    const kept = JSON.parse((storage && storage.getItem(key)) || "null");
    if (!kept) return;
    for (const [row, one] of kept.decided) decided.set(byNumber.get(row), one);
    for (const [row, text] of kept.comments) comments.set(byNumber.get(row), text);
    for (const line of kept.elsewhere) elsewhere.set(line.row, line);
  }

  function keep() {
    unsaved = decided.size > 0;
    if (!storage) return;
    const numbered = (map) => [...map].map(([tr, one]) => [tr.dataset.row, one]);
    storage.setItem(key, JSON.stringify({
      decided: numbered(decided), comments: numbered(comments), elsewhere: [...elsewhere.values()],
    }));
  }

  function decide(tr, decision, label) {
    if (decision) decided.set(tr, { decision, label, reviewer: reviewer() });
    else decided.delete(tr);
    keep();
    show(tr);
    count();
    tell(`Row ${tr.dataset.row}: ${words(tr) || "no decision"}.`);
  }

  const reviewer = () => find("reviewer").value.trim();

  // What is shown of it.

  function words(tr) {
    const d = decided.get(tr);
    if (!d) return "";
    return d.decision === "relabel" ? `relabel as ${d.label}` : d.decision;
  }

  function makeButtons(tr) {
    const choices = find("choices").content.cloneNode(true);
    choices.firstElementChild.setAttribute("aria-label", `Decision on row ${tr.dataset.row}`);
    tr.querySelector(".decide").append(choices);
  }

  function show(tr) {
    const d = decided.get(tr);
    tr.classList.toggle("done", Boolean(d));
    for (const button of tr.querySelectorAll("[data-decision]")) {
      const own = button.dataset.decision;
      button.setAttribute("aria-pressed", String(Boolean(d) && d.decision === own));
      if (own === "relabel") {
        const label = d && d.decision === own ? d.label : tr.dataset.suggested;
        button.textContent = label ? `→ ${label}` : "Relabel";
        button.title = label ? `Relabel as ${label}` : "Relabel";
        button.setAttribute("aria-label", button.title);
      }
    }
    const said = [words(tr), comments.get(tr)].filter(Boolean).join(": ");
    tr.querySelector(".decided").textContent = d && d.reviewer ? `${said} (${d.reviewer})` : said;
    tr.querySelector(".decide").dataset.order = words(tr);
    if (tr === current) fillEntries();
  }

  const many = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

  function progress() {
    const flagged = rows.filter(named);
    const done = flagged.filter((tr) => decided.has(tr)).length;
    const others = decided.size - done + elsewhere.size;
    const parts = flagged.length ? [`${done} of ${many(flagged.length, "flagged row")} decided`] : [];
    if (others || !flagged.length) {
      parts.push(flagged.length ? `${many(others, "other")} too` : `${many(others, "row")} decided`);
    }
    if (config.earlier.length) parts.push(`${config.earlier.length} before`);
    find("bar").value = done;
    return parts.join(", ");
  }

  function count() {
    find("progress").textContent = progress();
    find("forget").disabled = !decided.size && !elsewhere.size;
    find("save").disabled = !decided.size && !elsewhere.size && !config.earlier.length;
  }

  const tell = (text) => { find("status").textContent = text; };

  // Another label, and a comment: they move to the row that is the current one.

  const entries = find("entries").content.firstElementChild;
  const [other, comment] = entries.querySelectorAll("select, input");
  other.addEventListener("change", () => {
    const label = other.value;
    if (!label) decide(current, null);
    else chooseClass(label);
  });
  comment.addEventListener("input", () => {
    if (comment.value.trim()) comments.set(current, comment.value.trim());
    else comments.delete(current);
    keep();
    const text = comment.value;
    show(current);
    comment.value = text;
  });

  function fillEntries() {
    const d = decided.get(current);
    other.value = d ? d.label : "";
    comment.value = comments.get(current) ?? "";
  }

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
    tr.nextElementSibling.cells[0].append(entries);
    fillEntries();
  }

  function reachable(tr, index) {
    tr.tabIndex = index;
    for (const button of tr.querySelectorAll("button")) button.tabIndex = index;
  }

  function go(tr) {
    select(tr);
    tr.focus({ preventScroll: true });
    // With its features if they fit, by itself if not.
    tr.parentElement.scrollIntoView({ block: "nearest" });
    tr.scrollIntoView({ block: "nearest" });
  }

  function move(step) {
    const at = table.here().indexOf(current) + step;
    if (table.here()[at]) {
      go(table.here()[at]);
    } else if (table.turn(step)) {
      inform();
      go(table.here().at(step > 0 ? 0 : -1));
    }
  }

  function decideAndGoOn(decision, label) {
    decide(current, decision, label);
    move(1);
  }

  function chooseClass(label) {
    if (label === current.dataset.given) decideAndGoOn("keep", "");
    else decideAndGoOn("relabel", label);
  }

  // Where no other label is suggested, the list of labels is asked.
  function relabel() {
    const { suggested } = current.dataset;
    if (suggested) decideAndGoOn("relabel", suggested);
    else other.focus();
  }

  const rowOf = (target) => byNumber.get(target.closest("#suspects > tbody")?.rows[0].dataset.row);

  suspects.addEventListener("click", (event) => {
    const tr = rowOf(event.target);
    if (!tr) return;
    const button = event.target.closest("[data-decision]");
    // What was clicked stays under the pointer while another row closes.
    const top = tr.getBoundingClientRect().top;
    select(tr);
    scrollBy(0, tr.getBoundingClientRect().top - top);
    if (!button) return;
    const before = decided.get(tr);
    if (before && before.decision === button.dataset.decision) decide(tr, null);
    else if (button.dataset.decision === "relabel") relabel();
    else decideAndGoOn(button.dataset.decision, "");
  });
  suspects.addEventListener("focusin", (event) => {
    const tr = rowOf(event.target);
    // Not by a pointer that is still down: rows would move away under it.
    if (tr && event.target.matches(":focus-visible")) select(tr);
  });

  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    k: () => decideAndGoOn("keep", ""),
    r: relabel,
    d: () => decideAndGoOn("drop", ""),
    u: () => decide(current, null),
    c: () => comment.focus(),
  };
  if (config.classes.length <= 9) {
    config.classes.forEach((label, i) => { keys[i + 1] = () => chooseClass(label); });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest("input, select, textarea");
    if (typing) {
      if (current && (event.key === "Escape" || (event.key === "Enter" && typing === comment))) {
        go(current);
      }
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

  // Saving, and opening what was saved.

  function csv() {
    const command = config.command ? { audit: config.command } : {};
    const names = ["row", ...(config.id ? [config.id] : []), ...CELLS, ...Object.keys(command)];
    const now = [...decided].map(([tr, d]) => ({
      row: tr.dataset.row, ...(config.id ? { [config.id]: tr.dataset.id } : {}),
      target: config.target, given: tr.dataset.given, comment: comments.get(tr), ...d,
      row_check: tr.dataset.check,
    }));
    const all = [...config.earlier, ...elsewhere.values(), ...now];
    all.sort((a, b) => Number(a.row) - Number(b.row));
    // A cell that begins with dashes would be a formula to a spreadsheet: the command is whole.
    const cells = all.map((line) => ({ ...line, ...command }));
    return writtenCsv(names, cells.map((line) => names.map((name) => String(line[name] ?? ""))));
  }

  find("save").addEventListener("click", () => {
    // A name that was typed after deciding counts too, but not for decisions of others.
    for (const [tr, d] of decided) {
      if (!d.reviewer && !d.opened) d.reviewer = reviewer();
      show(tr);
    }
    keep();
    const url = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = config.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
    unsaved = false;
    tell(`Saved as ${config.file}.`);
  });

  // Rows decided otherwise here keep that, unless the reviewer says so.
  function open(text, name) {
    const before = new Set(config.earlier.map((line) => String(line.row)));
    const all = readCsv(text);
    if (!["row", "given", "decision"].every((column) => column in (all[0] ?? {}))) {
      tell(`${name} is no file of decisions: it has no columns row, given and decision.`);
      return;
    }
    const lines = all.filter((line) => line.decision && !before.has(line.row));
    const good = [];
    const bad = [];
    for (const line of lines) {
      const tr = byNumber.get(line.row);
      const moved = tr && config.id && line[config.id] && line[config.id] !== tr.dataset.id;
      const other = tr && tr.dataset.check && line.row_check && line.row_check !== tr.dataset.check;
      const fault = moved ? `${line[config.id]} in the file`
        : faultOf(line, tr ? tr.dataset.given : null, config) || (other ? "other cells in the file" : "");
      if (fault) bad.push(`row ${line.row}, ${fault}`);
      else good.push([tr, line]);
    }
    if (bad.length > good.filter(([tr]) => tr).length) {
      tell(`Nothing of ${name} taken: ${bad.length} of ${many(lines.length, "decision")} `
        + `${bad.length === 1 ? "does" : "do"} not fit this table (${bad[0]}). `
        + "Open it on the page that saved it.");
      return;
    }
    const differs = ([tr, line]) => tr && decided.has(tr)
      && (decided.get(tr).decision !== line.decision || decided.get(tr).label !== line.label);
    const disputed = good.filter(differs);
    const numbers = disputed.map(([, line]) => line.row).join(", ");
    const replace = disputed.length
      && confirm(`Decided otherwise here: row${disputed.length > 1 ? "s" : ""} ${numbers}. Take the decisions of ${name}?`);
    const taken = good.filter((pair) => replace || !differs(pair));
    for (const [tr, line] of taken) {
      if (!tr) {
        elsewhere.set(line.row, line);
        continue;
      }
      const { decision, label = "", reviewer: by = "" } = line;
      decided.set(tr, { decision, label, reviewer: by, opened: true });
      if (line.comment) comments.set(tr, line.comment);
      show(tr);
    }
    keep();
    count();
    const left = bad.length ? ` Not taken: ${bad.slice(0, 5).join("; ")}${bad.length > 5 ? " …" : ""}.` : "";
    tell(`${many(taken.length, "decision")} of ${name} taken.${left}`);
  }

  find("open").addEventListener("click", () => find("file").click());
  find("file").addEventListener("change", async () => {
    const [file] = find("file").files;
    if (file) open(await file.text(), file.name);
    find("file").value = "";
  });
  find("forget").addEventListener("click", () => {
    const n = decided.size + elsewhere.size;
    if (!confirm(`Forget ${many(n, "decision")}, and all comments?`)) return;
    const before = [...decided.keys(), ...comments.keys()];
    [decided, comments, elsewhere].forEach((map) => map.clear());
    keep();
    before.forEach(show);
    count();
    tell("No decisions.");
  });
  find("kept").textContent = storage ? ", kept in this browser" : ", not kept by this browser: save them";
  addEventListener("beforeunload", (event) => { if (!storage && unsaved) event.preventDefault(); });

  // Filters, and what is shown.

  const first = find("which").dataset.first;

  function inform() {
    const { first: from, last, count: n, page, pages } = table.info();
    find("info").textContent = n ? `${from} to ${last} of ${many(n, "row")}` : "no rows";
    find("back").disabled = page === 0;
    find("on").disabled = page === pages - 1;
  }

  function filter() {
    table.draw();
    inform();
    if (!table.here().includes(current)) select(table.here()[0] ?? null);
  }

  for (const [id, step] of [["back", -1], ["on", 1]]) {
    find(id).addEventListener("click", () => {
      table.turn(step);
      inform();
      select(table.here()[0]);
    });
  }

  function reset() {
    for (const name of filters) find(name).selectedIndex = 0;
    find("which").value = first;
    find("sort").value = find("search").value = "";
    table.search("");
    table.sort(null);
  }

  function fill(list, name) {
    const there = new Set(rows.map((tr) => tr.dataset[name]));
    list.append(...config.classes.filter((c) => there.has(c)).map((c) => new Option(c, c)));
  }

  // Of chances the highest come first.
  const downFirst = (th) => th.textContent.startsWith("chance");

  function makeHeads() {
    for (const [i, th] of heads.entries()) {
      if (th.classList.contains("why")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.textContent = th.textContent;
      button.addEventListener("click", () => {
        const now = th.getAttribute("aria-sort");
        table.sort(i, now ? now === "ascending" : downFirst(th));
        filter();
      });
      find("sort").append(new Option(th.textContent, i));
      th.replaceChildren(button);
    }
    find("sort").addEventListener("change", (event) => {
      const at = event.target.value === "" ? null : Number(event.target.value);
      table.sort(at, at !== null && downFirst(heads[at]));
      filter();
    });
  }

  function makeFilters() {
    fill(find("given"), "given");
    fill(find("suggested"), "suggested");
    for (const name of filters) find(name).addEventListener("change", filter);
    find("search").addEventListener("input", () => {
      table.search(find("search").value);
      filter();
    });
    find("reset").addEventListener("click", () => {
      reset();
      filter();
    });
    for (const button of document.querySelectorAll("[data-which]")) {
      button.addEventListener("click", () => {
        reset();
        for (const name of ["which", "given", "suggested"]) {
          find(name).value = button.dataset[name] ?? "";
        }
        filter();
        find("review").scrollIntoView();
        if (table.here().length) go(table.here()[0]);
      });
    }
  }

  // What a narrow page writes before each cell, and by what columns are sorted: labels by their
  // order, not by the alphabet.
  function mark(tr) {
    const cells = [...tr.cells];
    cells.forEach((one, i) => { one.dataset.label = heads[i].textContent; });
    const [suggested, chance] = [4, 3].map((back) => cells.length - back);
    cells[0].dataset.order = tr.dataset.row;
    cells[suggested - 1].dataset.order = config.classes.indexOf(tr.dataset.given);
    cells[suggested].dataset.order = config.classes.indexOf(tr.dataset.suggested);
    cells[chance].dataset.order = tr.dataset.p;
  }

  // A row is found by its cells and its features, not by what stands beside them.
  function describe(tr) {
    const cells = [...tr.cells].slice(0, -1).map((one) => one.textContent);
    const lines = [...tr.nextElementSibling.querySelectorAll("tbody tr")];
    const own = lines.map((line) => `${line.cells[0].textContent} ${line.cells[1].textContent}`);
    table.describe(tr, [...cells, ...own].join(" "));
  }

  find("reviewer").value = (storage && storage.getItem("csvor-reviewer")) ?? "";
  find("reviewer").addEventListener("change", () => {
    if (storage) storage.setItem("csvor-reviewer", reviewer());
  });
  restore();
  for (const tr of rows) {
    mark(tr);
    makeButtons(tr);
    describe(tr);
    show(tr);
    reachable(tr, -1);
  }
  count();
  makeHeads();
  makeFilters();
  reset();
  filter();
  document.documentElement.classList.add("ready");
  document.querySelectorAll(".tools, .keys, .save, .pages, .listed").forEach((part) => { part.hidden = false; });
})();
