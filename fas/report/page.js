"use strict";
(function () {
  const index = JSON.parse(document.getElementById("index").textContent);
  const byId = (id) => document.getElementById(id);
  const LABELS = index.labels;
  const ICONS = { supported: "✓", contradicted: "✗", unsupported: "?", unverified: "…" };
  // Where claims overlap, the text shows the verdict a reader must not miss.
  const RANK = ["contradicted", "unverified", "unsupported", "supported"];
  const blocks = new Map();
  let haystack = null;
  let shown = [];
  let page = 0;
  let open = false;

  // Numbers of a metric read "0.123"; undefined ones a dash.
  const number = (value, digits = 3) => (value === null || value === undefined ? "–" : value.toFixed(digits));

  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "class") node.className = value;
      else node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat()) {
      if (child !== null && child !== undefined) node.append(child);
    }
    return node;
  }

  function answer(row) {
    const number = Math.floor(row / index.block);
    if (!blocks.has(number)) blocks.set(number, JSON.parse(byId("block-" + number).textContent));
    return blocks.get(number)[row % index.block];
  }

  function words(row) {
    const a = answer(row);
    const parts = [a.id, a.question || "", a.prediction];
    for (const claim of a.claims) {
      parts.push(claim.text);
      for (const e of claim.evidence) parts.push(e.id || "", e.title || "", e.sentence || "");
    }
    for (const flag of a.flags) parts.push(flag.code, flag.drug || "", flag.message);
    for (const statement of a.statements || []) parts.push(statement.text);
    if (a.error) parts.push(a.error.type, a.error.message);
    return parts.join("\n").toLowerCase();
  }

  // ---- controls -------------------------------------------------------------------------

  function fill(select, options) {
    select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
  }

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
    controls.addEventListener("reset", () => setTimeout(update, 0));
    byId("toggle").addEventListener("click", () => {
      open = !open;
      byId("toggle").setAttribute("aria-pressed", String(open));
      byId("toggle").textContent = open ? "Close all evidence" : "Open all evidence";
      document.documentElement.toggleAttribute("data-open", open);
      for (const details of document.querySelectorAll("#list details")) details.open = open;
    });
    byId("previous").addEventListener("click", () => turn(-1));
    byId("next").addEventListener("click", () => turn(1));
    for (const button of document.querySelectorAll(".show-flag")) {
      button.addEventListener("click", () => {
        controls.reset();
        byId("flag").value = String(index.flagNames.indexOf(button.dataset.flag));
        update();
        byId("answers").focus({ preventScroll: true });
        byId("answers").scrollIntoView();
      });
    }
    document.addEventListener("keydown", (event) => {
      const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        byId("search").focus();
      }
    });
    // On paper nothing can be opened; it shows each claim's strongest passage, or all if all were open.
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
  }

  // ---- filter, sort, page ---------------------------------------------------------------

  function update() {
    const bit = Number(byId("label").value || 0);
    const flag = byId("flag").value;
    const fields = [...document.querySelectorAll("[data-field]")].filter((select) => select.value !== "");
    const terms = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    if (terms.length && !haystack) haystack = Array.from({ length: index.n }, (_, row) => words(row));
    shown = [];
    for (let row = 0; row < index.n; row += 1) {
      if (bit && !(index.masks[row] & bit)) continue;
      const flags = index.flags[row];
      if (flag === "some" && !flags.length) continue;
      if (flag === "none" && flags.length) continue;
      if (flag !== "" && flag !== "some" && flag !== "none" && !flags.includes(Number(flag))) continue;
      if (fields.some((select) => index.fields[select.dataset.field].of[row] !== Number(select.value))) continue;
      if (terms.length && !terms.every((term) => haystack[row].includes(term))) continue;
      shown.push(row);
    }
    const sort = byId("sort").value;
    if (sort) {
      const column = index.metrics[sort.slice(1)];
      const sign = sort[0] === "+" ? 1 : -1;
      shown.sort((a, b) => {
        if (column[a] === null || column[b] === null) return (column[a] === null) - (column[b] === null) || a - b;
        return sign * (column[a] - column[b]) || a - b;
      });
    }
    page = 0;
    render();
  }

  function turn(step) {
    page += step;
    render();
    byId("answers").focus({ preventScroll: true });
    byId("answers").scrollIntoView();
  }

  function render() {
    const size = byId("size").value === "all" ? Math.max(1, shown.length) : Number(byId("size").value);
    const pages = Math.max(1, Math.ceil(shown.length / size));
    const rows = shown.slice(page * size, (page + 1) * size);
    byId("list").classList.toggle("many", rows.length > 100);
    byId("list").replaceChildren(...rows.map(card));
    const of = shown.length === index.n ? `${index.n}` : `${shown.length} (of ${index.n} in all)`;
    byId("status").textContent = shown.length
      ? `Answers ${page * size + 1} to ${page * size + rows.length} of ${of}`
      : index.n ? `No answer fits; ${index.n} in all` : "There are no answers";
    byId("pages").hidden = pages === 1;
    byId("page").textContent = `Page ${page + 1} of ${pages}`;
    byId("previous").disabled = page === 0;
    byId("next").disabled = page === pages - 1;
  }

  // ---- one answer -----------------------------------------------------------------------

  function card(row) {
    const a = answer(row);
    const chips = a.meta.map(([name, value]) => make("span", { class: "chip" }, `${name}: ${value}`));
    const node = make("article", { class: a.error ? "answer failed" : "answer", "data-id": a.id },
      make("header", {}, make("h3", {}, a.id), chips));
    if (a.question) node.append(make("p", { class: "question", dir: "auto" }, a.question));
    if (a.error) {
      const where = [a.error.line === null ? null : `line ${a.error.line}`, a.error.field && `field ${a.error.field}`];
      node.append(make("p", { class: "error" },
        make("b", {}, `Not scored: ${a.error.type}`), ` ${where.filter(Boolean).join(", ")} `, make("br"), a.error.message));
    }
    const metrics = Object.entries(index.metrics).filter(([, column]) => column[row] !== null);
    if (metrics.length) {
      node.append(make("ul", { class: "scores" }, metrics.map(([name, column]) =>
        make("li", {}, `${name} `, make("b", {}, number(column[row]))))));
    }
    if (a.prediction) node.append(make("div", { class: "prediction", dir: "auto" }, coloured(a, row)));
    else if (!a.error) node.append(make("p", { class: "prediction empty" }, "The answer is empty."));
    if (a.flags.length) node.append(make("ul", { class: "flags", "aria-label": "Safety flags" }, a.flags.map(flagItem)));
    if (a.claims.length) {
      node.append(make("ol", { class: "claims", "aria-label": "Claims" }, a.claims.map((claim, i) => claimItem(claim, i, row))));
    } else if (!a.error && a.prediction) node.append(make("p", { class: "empty" }, "No claim was found in this answer."));
    if (a.statements) node.append(...statementList(a.statements));
    return node;
  }

  // What the reference says: first what the answer denies or leaves out, the gravest first as the input has them.
  const STATED = { denied: ["contradicted", "✗ denied"], omitted: ["unsupported", "? omitted"],
    unverified: ["unverified", "… unverified"], covered: ["supported", "✓ covered"] };

  function statementList(statements) {
    const order = Object.keys(STATED);
    const must = (s) => (s.kind === "must" ? 0 : 1);
    const sorted = [...statements].sort((x, y) => order.indexOf(x.label) - order.indexOf(y.label) || must(x) - must(y));
    const left = sorted.filter((s) => s.label !== "covered");
    const said = statements.length - left.length;
    return [
      make("p", { class: "hint" }, `The reference makes ${statements.length} statements; the answer covers ${said}.`),
      left.length ? make("ul", { class: "statements", "aria-label": "Statements the answer leaves out" }, left.map((s) => {
        const [style, name] = STATED[s.label];
        const beside = [s.kind === "nice" ? "may be said" : null, s.severity && `severity: ${s.severity}`, s.failure];
        const shown = s.label === "denied" && s.sentence ? `“${s.sentence}”` : null;
        return make("li", {}, make("span", { class: `badge ${style}` }, name), " ", make("span", { class: "text", dir: "auto" }, s.text),
          beside.filter(Boolean).map((text) => make("span", { class: "chip" }, text)), shown ? make("div", { class: "hint", dir: "auto" }, shown) : null);
      })) : "",
    ];
  }

  // The answer's text, cut where a claim or flag begins or ends.
  function coloured(a, row) {
    const spans = a.claims.map((claim, i) => ({ ...claim, i })).filter((c) => c.start !== null && c.end > c.start);
    const flags = a.flags.filter((f) => f.counted && f.start !== null && f.end > f.start);
    const cuts = new Set([0, a.prediction.length]);
    for (const s of [...spans, ...flags]) cuts.add(s.start).add(s.end);
    const at = [...cuts].filter((c) => c >= 0 && c <= a.prediction.length).sort((x, y) => x - y);
    const pieces = [];
    for (let k = 0; k + 1 < at.length; k += 1) {
      const [from, to] = [at[k], at[k + 1]];
      const covering = spans.filter((c) => c.start <= from && c.end >= to);
      const marked = flags.some((f) => f.start <= from && f.end >= to);
      let piece = a.prediction.slice(from, to);
      if (covering.length) {
        const first = [...covering].sort((x, y) => RANK.indexOf(LABELS[x.label]) - RANK.indexOf(LABELS[y.label]))[0];
        const link = make("a", { href: `#claim-${row}-${first.i}`, title: covering.map((c) => `Claim ${c.i + 1}: ${LABELS[c.label]}`).join("; ") }, piece);
        link.addEventListener("click", (event) => { event.preventDefault(); reveal(row, first.i); });
        piece = make("mark", { class: LABELS[first.label] }, link);
      }
      if (marked) piece = make("span", { class: "flagged" }, piece);
      pieces.push(piece);
      for (const c of spans.filter((s) => s.end === to)) {
        pieces.push(make("span", { class: `tag ${LABELS[c.label]}` }, make("span", { "aria-hidden": "true" }, `${ICONS[LABELS[c.label]]}${c.i + 1}`),
          make("span", { class: "hidden" }, ` (claim ${c.i + 1}: ${LABELS[c.label]})`)));
      }
      for (const f of flags.filter((s) => s.end === to)) {
        pieces.push(make("span", { class: "tag flag", title: f.message }, make("span", { "aria-hidden": "true" }, "⚑"), make("span", { class: "hidden" }, ` (flag ${f.code})`)));
      }
    }
    return pieces;
  }

  function reveal(row, i) {
    const item = byId(`claim-${row}-${i}`);
    const details = item.querySelector("details");
    details.open = true;
    item.scrollIntoView({ block: "center" });
    item.querySelector("summary").focus({ preventScroll: true });
  }

  function claimItem(claim, i, row) {
    const label = LABELS[claim.label];
    const notes = [];
    if (claim.conflicting) {
      const says = { support: "supports", contradict: "contradicts" };
      const sides = ["stronger", "newer"].filter((name) => claim.conflict[name])
        .map((name) => ` · the ${name} side ${says[claim.conflict[name]]}`).join("");
      notes.push(make("span", { class: "badge note" }, `⇄ conflicting${sides}`));
    }
    const probabilities = claim.ps === null ? "" : `supports ${number(claim.ps, 2)} · contradicts ${number(claim.pc, 2)}`;
    const summary = make("summary", {},
      make("span", {}, make("span", { class: `badge ${label}` }, label), notes.length ? " " : null, notes),
      make("span", { class: "text", dir: "auto" }, `${i + 1}. ${claim.text}`),
      make("span", { class: "probs" }, probabilities));
    const inside = [];
    if (claim.start === null) inside.push(make("p", { class: "hint" }, "This claim has no exact place in the text."));
    if (claim.failure) inside.push(make("p", { class: "error" }, claim.failure));
    if (claim.evidence.length) {
      // A verifier that reads all passages at once gives none of them a probability of its own.
      const together = claim.ps !== null && claim.evidence.every((e) => e.ps === null);
      const best = together ? 0 : strongest(claim, label);
      if (together) inside.push(make("p", { class: "hint" }, "The passages were judged together."));
      inside.push(make("ol", { class: "evidence" }, claim.evidence.map((e, k) => evidenceItem(e, k === best, label, together))));
      const others = claim.evidence.length - 1;
      if (others > 0 && !open) inside.push(make("p", { class: "hint more" }, `${others} more passage${others > 1 ? "s" : ""} judged`));
    }
    if (!claim.evidence.length && !claim.failure) {
      const why = claim.ps === null ? "No evidence was found for this claim." : "Judged without a passage, by what the model knows.";
      inside.push(make("p", { class: "hint" }, why));
    }
    return make("li", { id: `claim-${row}-${i}` }, make("details", { open }, summary, inside));
  }

  // The passage whose probability the verdict rests on.
  function strongest(claim, label) {
    const weigh = (e) => (label === "supported" ? e.ps : label === "contradicted" ? e.pc : Math.max(e.ps || 0, e.pc || 0));
    let best = 0;
    claim.evidence.forEach((e, k) => { if ((weigh(e) || 0) > (weigh(claim.evidence[best]) || 0)) best = k; });
    return best;
  }

  function evidenceItem(e, best, label, together) {
    const source = make("div", { class: "source" });
    if (e.id !== undefined) {
      if (index.pmids && /^[1-9][0-9]{0,7}$/.test(e.id)) {
        source.append(make("a", { href: `https://pubmed.ncbi.nlm.nih.gov/${e.id}/`, rel: "noopener noreferrer", target: "_blank" }, `PMID ${e.id}`));
      } else source.append(make("span", { class: "mono" }, e.id));
      source.append(" ");
    }
    if (best && !together && (label === "supported" || label === "contradicted")) source.append(make("span", { class: "badge" }, "decisive"), " ");
    if (e.title) source.append(e.title, " ");
    if (e.year) source.append(`(${e.year}) `);
    if (e.design) source.append(make("span", { class: "badge" }, e.design), " ");
    const marks = { concern: "expression of concern", updated: "a later version exists", republished: "a later version exists" };
    if (e.status) source.append(make("span", { class: "badge note" }, marks[e.status] || e.status), " ");
    const quote = e.sentence
      ? make("blockquote", { dir: "auto" }, e.sentence)
      : make("p", { class: "missing" }, "The verifier named no sentence.");
    if (together) return make("li", { class: best ? "strongest" : null }, source, e.sentence ? quote : null);
    const judged = e.ps === null ? "could not be judged" : `supports ${number(e.ps, 2)} · contradicts ${number(e.pc, 2)}`;
    return make("li", { class: best ? "strongest" : null }, source, quote, make("div", { class: "probs" }, judged));
  }

  function flagItem(flag) {
    const facts = [`severity ${flag.severity}`, flag.status, flag.rule && `rule ${flag.rule}`, flag.source,
      flag.counted ? null : "not counted"];
    return make("li", { class: flag.counted ? null : "uncounted" },
      make("b", { class: "mono" }, `⚑ ${flag.code}`), ` ${flag.message}`, make("small", {}, facts.filter(Boolean).join(" · ")));
  }

  setUp();
  update();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
})();
