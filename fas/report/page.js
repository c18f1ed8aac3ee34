  // ---- controls -------------------------------------------------------------------------

  function fill(select, options) {
    select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
  }

  const REVIEW = (code) => (code & 7) < 3;
  const WHICH = {
    "": ["to review: contradicted, flagged, unsupported", REVIEW],
    contradicted: ["contradicted", (code) => (code >> 3 & 7) === LABELS.indexOf("contradicted")],
    flagged: ["flagged", (code, place) => place in queue.flags],
    unsupported: ["unsupported", (code) => (code >> 3 & 7) === LABELS.indexOf("unsupported")],
    unverified: ["unverified", (code) => (code >> 3 & 7) === LABELS.indexOf("unverified")],
    supported: ["supported", (code) => (code >> 3 & 7) === LABELS.indexOf("supported")],
    conflicting: ["conflicting", (code) => (code & 64) > 0],
    sample: ["random sample of all with a verdict", (code, place) => queue.numbers[place] >= 0 && (code >> 3 & 7) < LABELS.indexOf("unverified")],
    all: ["all", () => true],
  };

  function setUp() {
    const count = (test) => index.masks.reduce((sum, mask) => sum + (test(mask) ? 1 : 0), 0);
    const choices = [
      ["1", "supported"], ["2", "contradicted"], ["4", "unsupported"], ["8", "unverified"], ["16", "conflicting"],
      ["32", "no claims"], ["64", "failed answers"],
    ];
    fill(byId("label"), [
      ["", "any"],
      ...choices
        .map(([bit, text]) => [bit, text, count((mask) => mask & Number(bit))])
        .filter(([, , n]) => n > 0)
        .map(([bit, text, n]) => [bit, `${Number(bit) < 32 ? "with " : ""}${text} (${n})`]),
    ]);
    const claims = (test) => queue.codes.reduce((sum, code, place) => sum + (test(code, place) ? 1 : 0), 0);
    fill(byId("kind"), Object.entries(WHICH)
      .map(([name, [text, test]]) => [name, `${text} (${claims(test)})`, claims(test)])
      .filter(([name, , n]) => n > 0 || name === "" || name === "all"));
    const flagged = index.flags.filter((flags) => flags.length).length;
    fill(byId("flag"), [
      ["", "any or none"], ["some", `with a flag (${flagged})`], ["none", `without a flag (${index.n - flagged})`],
      ...index.flagNames.map((name, i) => [String(i), `${name} (${index.flags.filter((f) => f.includes(i)).length})`]),
    ]);
    for (const [name, field] of Object.entries(index.fields)) {
      const select = make("select", { "data-field": name });
      const counts = field.values.map(() => 0);
      for (const i of field.of) if (i >= 0) counts[i] += 1;
      const order = field.values.map((value, i) => [String(i), `${value} (${counts[i]})`, value]);
      order.sort((a, b) => a[2].localeCompare(b[2], undefined, { numeric: true }));
      fill(select, [["", "any"], ...order]);
      byId("fields").append(make("label", {}, name + " ", select));
    }
    const sortable = Object.keys(index.metrics).filter((name) => index.metrics[name].some((v) => v !== null));
    fill(byId("sort"), [
      ["", "as in the file"],
      ...sortable.flatMap((name) => [[`+${name}`, `${name}, lowest first`], [`-${name}`, `${name}, highest first`]]),
    ]);
    const controls = byId("controls");
    let wait = 0;
    byId("search").addEventListener("input", () => {
      clearTimeout(wait);
      wait = setTimeout(update, 150);
    });
    controls.addEventListener("change", update);
    controls.addEventListener("submit", (event) => { event.preventDefault(); update(); });
    controls.addEventListener("reset", () => { if (!clearing) setTimeout(update, 0); });
    byId("save").addEventListener("click", save);
    byId("toggle").addEventListener("click", () => {
      open = !open;
      byId("toggle").setAttribute("aria-pressed", String(open));
      byId("toggle").textContent = open ? "Close all evidence" : "Open all evidence";
      for (const details of document.querySelectorAll("#list details")) details.open = open;
    });
    byId("previous").addEventListener("click", () => turn(-1));
    byId("next").addEventListener("click", () => turn(1));
    for (const button of document.querySelectorAll("[data-view]")) {
      button.addEventListener("click", () => { change(button.dataset.view); update(); });
    }
    for (const button of document.querySelectorAll(".show-flag")) {
      button.addEventListener("click", () => {
        clear();
        change("answers");
        byId("flag").value = String(index.flagNames.indexOf(button.dataset.flag));
        update();
        here();
      });
    }
    document.addEventListener("keydown", keys);
    window.addEventListener("hashchange", follow);
    // On paper nothing can be opened: what is closed prints the strongest passage, what is open all that it shows.
    window.addEventListener("beforeprint", () => {
      for (const details of document.querySelectorAll("details:not([open])")) {
        details.open = true;
        details.dataset.closed = "";
      }
    });
    window.addEventListener("afterprint", () => {
      for (const details of document.querySelectorAll("details[data-closed]")) {
        details.open = false;
        delete details.dataset.closed;
      }
    });
    controls.hidden = false;
    document.querySelector(".views").hidden = false;
  }

  // Every control as it was at first, for whoever shows something else in the same breath.
  let clearing = false;
  function clear() {
    clearing = true;
    byId("controls").reset();
    clearing = false;
  }

  function keys(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      byId("search").focus();
    }
    if (view !== "claims") return;
    if (event.key === "j") step(1);
    if (event.key === "k") step(-1);
    const node = current();
    if (event.key === "o" && node) {
      const details = node.querySelector("details");
      if (details) details.open = !details.open;
    }
    if (event.key === "a" && node) node.querySelector(".to-answer").click();
    decisionKeys(event, node);
  }

  // ---- the address ------------------------------------------------------------------------

  function change(name) {
    view = name;
    for (const button of document.querySelectorAll("[data-view]")) {
      button.setAttribute("aria-pressed", String(button.dataset.view === view));
    }
    for (const node of document.querySelectorAll("[data-only]")) node.hidden = node.dataset.only !== view;
  }

  // What is chosen, as the address has it: names and values, nothing that is as it was.
  function chosen() {
    const found = [];
    const add = (name, value) => { if (value) found.push([name, value]); };
    add("view", view === "claims" ? "claims" : "");
    add("q", byId("search").value.trim());
    if (view === "claims") {
      add("claims", byId("kind").value);
      add("decided", byId("decided").value);
    } else {
      const option = byId("label").selectedOptions[0];
      add("with", option && option.value ? LABELS_OF[option.value] : "");
      add("sort", byId("sort").value);
    }
    const flag = byId("flag").value;
    add("flag", flag === "some" || flag === "none" || flag === "" ? flag : index.flagNames[Number(flag)]);
    for (const select of document.querySelectorAll("[data-field]")) {
      if (select.value !== "") found.push([`field.${select.dataset.field}`, index.fields[select.dataset.field].values[Number(select.value)]]);
    }
    add("size", byId("size").value === "20" ? "" : byId("size").value);
    add("page", page ? String(page + 1) : "");
    return found;
  }

  const LABELS_OF = { 1: "supported", 2: "contradicted", 4: "unsupported", 8: "unverified", 16: "conflicting", 32: "none", 64: "failed" };

  function remember() {
    const text = chosen().map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
    try {
      history.replaceState(null, "", text ? `#${text}` : location.href.split("#")[0]);
    } catch (error) {
      // A browser that keeps no state for local files: the filters hold, the address does not name them.
    }
  }

  // Show what the address names.
  function follow() {
    const given = location.hash.slice(1);
    if (!given || byId(given)) return; // nothing, or a place of the page such as #answers
    const parts = given.split("&").map((part) => part.split("=")).filter((pair) => pair.length === 2);
    let asked;
    try {
      asked = new Map(parts.map((pair) => pair.map(decodeURIComponent)));
    } catch (error) {
      return; // no address of this page
    }
    if (asked.has("answer") || asked.has("claim")) {
      goTo(asked.get("answer") ?? asked.get("claim"), asked.has("claim"));
      return;
    }
    clear();
    change(asked.get("view") === "claims" ? "claims" : "answers");
    byId("search").value = asked.get("q") || "";
    choose(byId("kind"), asked.get("claims"));
    choose(byId("decided"), asked.get("decided"));
    choose(byId("label"), Object.keys(LABELS_OF).find((bit) => LABELS_OF[bit] === asked.get("with")));
    choose(byId("sort"), asked.get("sort"));
    choose(byId("size"), asked.get("size"));
    const flag = asked.get("flag");
    choose(byId("flag"), flag === "some" || flag === "none" ? flag : String(index.flagNames.indexOf(flag)));
    for (const select of document.querySelectorAll("[data-field]")) {
      const field = index.fields[select.dataset.field];
      choose(select, String(field.values.indexOf(asked.get(`field.${select.dataset.field}`))));
    }
    filter();
    const wanted = Number(asked.get("page") || 1) - 1;
    page = Number.isInteger(wanted) ? Math.min(Math.max(0, wanted), pagesOf() - 1) : 0;
    render();
    here();
  }

  function choose(select, value) {
    if ([...select.options].some((option) => option.value === value)) select.value = value;
  }

  function here() {
    show(byId("answers"));
  }

  // An answer by its id, or a claim (or flag) by `ID:NUMBER`; other filters go where they would hide it.
  function goTo(name, isClaim) {
    const [, id, wanted] = isClaim ? /^(.*):(f?\d+)$/s.exec(name) || [null, null, null] : [null, name, null];
    let row = 0;
    while (row < index.n && answer(row).id !== id) row += 1;
    const place = isClaim && row < index.n
      ? queue.rows.findIndex((own, k) => own === row && named(queue.numbers[k]) === wanted) : -1;
    if (row === index.n || (isClaim && place < 0)) {
      byId("status").textContent = `There is no ${isClaim ? "claim" : "answer"} ${name} in this report`;
      here();
      return;
    }
    const item = isClaim ? place : row;
    if (view !== (isClaim ? "claims" : "answers") || !shown.includes(item)) {
      clear();
      change(isClaim ? "claims" : "answers");
      if (isClaim && !REVIEW(queue.codes[place])) choose(byId("kind"), "all");
      filter();
    }
    page = Math.floor(shown.indexOf(item) / sizeOf());
    render();
    show([...byId("list").children][shown.indexOf(item) - page * sizeOf()]);
  }

  // ---- filter, sort, page ---------------------------------------------------------------

  function fits() {
    const flag = byId("flag").value;
    const fields = [...document.querySelectorAll("[data-field]")].filter((select) => select.value !== "");
    return (row, flags) => {
      if (flag === "some" && !flags.length) return false;
      if (flag === "none" && flags.length) return false;
      if (flag !== "" && flag !== "some" && flag !== "none" && !flags.includes(Number(flag))) return false;
      return !fields.some((select) => index.fields[select.dataset.field].of[row] !== Number(select.value));
    };
  }

  function filter() {
    const terms = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const n = view === "answers" ? index.n : queue.rows.length;
    const told = view === "answers" ? words : entryWords;
    if (terms.length && !haystacks[view]) haystacks[view] = Array.from({ length: n }, (_, place) => told(place));
    const found = (place) => terms.every((term) => haystacks[view][place].includes(term));
    const fit = fits();
    shown = [];
    if (view === "answers") {
      const bit = Number(byId("label").value || 0);
      for (let row = 0; row < index.n; row += 1) {
        if ((!bit || index.masks[row] & bit) && fit(row, index.flags[row]) && found(row)) shown.push(row);
      }
      order();
    } else {
      const [, test] = WHICH[byId("kind").value];
      const [, of] = DECIDED[byId("decided").value];
      for (const place of byId("kind").value === "sample" ? queue.sample : queue.rows.keys()) {
        if (test(queue.codes[place], place) && of(place) && fit(queue.rows[place], queue.flags[place] || []) && found(place)) shown.push(place);
      }
    }
    page = 0;
  }

  function order() {
    const sort = byId("sort").value;
    if (!sort) return;
    const column = index.metrics[sort.slice(1)];
    const sign = sort[0] === "+" ? 1 : -1;
    shown.sort((a, b) => {
      if (column[a] === null || column[b] === null) return (column[a] === null) - (column[b] === null) || a - b;
      return sign * (column[a] - column[b]) || a - b;
    });
  }

  function update() {
    filter();
    render();
    remember();
  }

  function turn(step) {
    page += step;
    render();
    remember();
    here();
  }

  const sizeOf = () => (byId("size").value === "all" ? Math.max(1, shown.length) : Number(byId("size").value));
  const pagesOf = () => Math.max(1, Math.ceil(shown.length / sizeOf()));

  function render() {
    const [size, pages] = [sizeOf(), pagesOf()];
    const part = shown.slice(page * size, (page + 1) * size);
    byId("list").classList.toggle("many", part.length > 100);
    byId("list").replaceChildren(...part.map(view === "answers" ? card : entryCard));
    const [what, all] = view === "answers" ? ["Answer", index.n] : ["Claim", queue.rows.length];
    const of = shown.length === all ? `${all}` : `${shown.length} (of ${all} in all)`;
    byId("status").textContent = shown.length
      ? `${what}s ${page * size + 1} to ${page * size + part.length} of ${of}`
      : all ? `No ${what.toLowerCase()} fits; ${all} in all` : `There are no ${what.toLowerCase()}s`;
    const filters = chosen().filter(([name]) => name !== "page" && name !== "size" && name !== "view");
    byId("filters").hidden = !filters.length;
    byId("filters").textContent = `Chosen: ${filters.map(([name, value]) => `${name.replace("field.", "")} ${value}`).join("; ")}`;
    byId("pages").hidden = pages === 1;
    byId("page").textContent = `Page ${page + 1} of ${pages}`;
    byId("previous").disabled = page === 0;
    byId("next").disabled = page === pages - 1;
  }

  setUp();
  setUpDecisions();
  change("answers");
  filter();
  render();
  follow();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
