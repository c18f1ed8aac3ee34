"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const CHOICES = {
    claim: [["1", "supported", "supported"], ["2", "contradicted", "contradicted"],
      ["3", "unsupported", "not settled"], ["4", "bad", "bad claim"]],
    statement: [["1", "covered", "the answer says so"], ["2", "denied", "it says the contrary"],
      ["3", "omitted", "it says neither"], ["4", "bad", "statement is no good"]],
    fault: [["1", "unverifiable", "unverifiable"], ["2", "hallucinated", "hallucinated"], ["3", "incomplete", "incomplete"],
      ["4", "misstructured", "incorrectly structured"], ["5", "context_dependent", "context-dependent"],
      ["6", "redundant", "redundant"], ["7", "omitted", "the sentence says more than its claims"],
      ["0", "valid", "nothing is wrong"]],
    pair: [["1", "first", "the first is better"], ["2", "second", "the second is better"], ["3", "tie", "equally good"]],
  }[data.of];
  const SEVERITIES = ["", "low", "moderate", "high"];
  const key = "fas-annotate:" + data.key;
  let state = { labels: {}, annotator: "", at: 0, undo: [] };
  let revealed = false;

  function warn(text) {
    byId("warning").textContent = text;
    byId("warning").hidden = false;
  }

  try {
    const kept = localStorage.getItem(key);
    if (kept) state = { ...state, ...JSON.parse(kept) };
  } catch (error) {
    warn("This browser keeps nothing for this page: save the labels as a file before you close it.");
  }

  function keep() {
    try {
      localStorage.setItem(key, JSON.stringify(state));
    } catch (error) {
      warn("This browser keeps nothing for this page: save the labels as a file before you close it.");
    }
  }

  const own = (i) => state.labels[i] || { label: null, severity: "", seen: false };

  function change(i, made) {
    state.undo.push([i, state.labels[i] || null]);
    if (state.undo.length > 500) state.undo.shift();
    state.labels[i] = { ...own(i), ...made };
    keep();
  }

  const number = data.of === "fault" ? "claim" : data.of;
  const has = (made, name) => made.label !== null && made.label.split("+").includes(name);

  // Several faults of one claim: each key puts one on or takes it off, in the order of the keys.
  function toggle(name) {
    const made = own(state.at);
    const kept = CHOICES.map(([, fault]) => fault).filter((fault) => fault !== "valid" && (has(made, fault) !== (fault === name)));
    change(state.at, { label: kept.join("+") || null, seen: made.seen || revealed });
    render();
  }

  function label(name) {
    if (data.of === "fault" && name !== "valid") {
      toggle(name);
      return;
    }
    change(state.at, { label: name, seen: own(state.at).seen || revealed });
    if (state.at + 1 < data.items.length) go(state.at + 1);
    else render();
  }

  function severity() {
    const next = SEVERITIES[(SEVERITIES.indexOf(own(state.at).severity) + 1) % SEVERITIES.length];
    change(state.at, { severity: next });
    render();
  }

  function undo() {
    const last = state.undo.pop();
    if (!last) return;
    const [i, before] = last;
    if (before === null) delete state.labels[i];
    else state.labels[i] = before;
    go(i);
  }

  function go(i) {
    state.at = Math.max(0, Math.min(data.items.length - 1, i));
    revealed = false;
    keep();
    render();
    byId("prediction").scrollTop = 0;
    const mark = byId("prediction").querySelector("mark");
    if (mark) mark.scrollIntoView({ block: "nearest" });
  }

  function open() {
    const i = data.items.findIndex((_, place) => own(place).label === null);
    if (i >= 0) go(i);
  }

  function reveal() {
    revealed = true;
    if (own(state.at).label === null) change(state.at, { seen: true });
    render();
  }

  function save() {
    const name = byId("annotator").value.trim();
    const lines = data.items.map((item, i) => {
      const made = own(i);
      const line = { id: item.id, [number]: item[number], label: made.label, pi: item.pi, stratum: item.stratum, text: item.text };
      if (data.of === "pair") {
        delete line.pair;
        delete line.label;
        line.preferred = { first: item.order[0], second: item.order[1] }[made.label] || made.label;
      }
      if (data.of === "fault") {
        delete line.label;
        line.faults = made.label === null ? null : made.label.split("+").filter((fault) => fault !== "valid");
      }
      if (made.severity) line.severity = made.severity;
      if (name) line.annotator = name;
      line.saw_verdict = Boolean(made.seen);
      return JSON.stringify(line) + "\n";
    });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
    link.download = `labels-${(name || "unnamed").replace(/[^\w.-]+/g, "-")}.jsonl`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function render() {
    const item = data.items[state.at];
    const made = own(state.at);
    const done = data.items.filter((_, i) => own(i).label !== null).length;
    byId("bar").max = data.items.length;
    byId("bar").value = done;
    byId("count").textContent = `${done} of ${data.items.length} labelled`;
    byId("place").textContent = `${state.at + 1} of ${data.items.length}`;
    byId("question").textContent = item.question || "";
    const box = byId("prediction");
    if (item.start === null || item.start === undefined) box.replaceChildren(item.prediction);
    else {
      const mark = document.createElement("mark");
      mark.textContent = item.prediction.slice(item.start, item.end);
      box.replaceChildren(item.prediction.slice(0, item.start), mark, item.prediction.slice(item.end));
    }
    byId("second").textContent = item.second || "";
    byId("claim").textContent = item.text;
    byId("said").hidden = !item.said.length;
    byId("said").textContent = item.said.length ? "Said of it: " + item.said.join("; ") : "";
    for (const button of byId("choices").children) {
      button.setAttribute("aria-pressed", String(has(made, button.dataset.label)));
    }
    byId("severity-value").textContent = made.severity || "none";
    byId("evidence").replaceChildren(...item.evidence.map((piece) => {
      const node = document.createElement("li");
      const source = document.createElement("div");
      source.className = "source";
      source.textContent = [piece.title, piece.id, piece.year].filter((part) => part !== null && part !== undefined).join(" · ");
      node.append(piece.sentence || "(the verifier names no sentence)", source);
      return node;
    }));
    if (!item.evidence.length) {
      const node = document.createElement("li");
      node.textContent = number === "claim" ? "No evidence was found." : "The verifier names no part of it.";
      byId("evidence").append(node);
    }
    const shares = [["supports", item.ps], ["contradicts", item.pc]].filter(([, p]) => p !== null && p !== undefined);
    byId("verdict").textContent = !revealed ? "" : data.of === "pair" ? item.verdict
      : `${item.verdict} (${shares.map(([name, p]) => `${name} ${p.toFixed(2)}`).join(", ")})`;
  }

  byId("title").textContent = data.title;
  if (data.of === "pair") {
    document.body.className = "pairs";
    byId("what").textContent = "Which answer is better?";
    byId("second").hidden = false;
  }
  if (data.of === "fault") {
    document.body.className = "faults";
    byId("what").textContent = "What is wrong with this claim?";
  }
  if (data.of === "statement") {
    byId("what").textContent = "Does the answer say this?";
    byId("evidence-title").textContent = "Part of the answer that comes nearest, by the verifier";
  }
  byId("annotator").value = state.annotator;
  byId("annotator").addEventListener("input", () => { state.annotator = byId("annotator").value; keep(); });
  byId("choices").append(...CHOICES.map(([number, name, shown]) => {
    const button = document.createElement("button");
    const hint = document.createElement("kbd");
    hint.textContent = number;
    button.type = "button";
    button.dataset.label = name;
    button.append(hint, " " + shown);
    button.addEventListener("click", () => label(name));
    return button;
  }));
  const ACTIONS = { severity, reveal, undo, save, open, previous: () => go(state.at - 1), next: () => go(state.at + 1) };
  for (const [name, action] of Object.entries(ACTIONS)) byId(name).addEventListener("click", action);
  const KEYS = { s: severity, v: reveal, u: undo, e: save, n: open, arrowleft: ACTIONS.previous, arrowright: ACTIONS.next };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.tagName === "INPUT") {
      if (event.key === "Enter" || event.key === "Escape") event.target.blur();
      return;
    }
    const choice = CHOICES.find(([number]) => number === event.key);
    const action = choice ? () => label(choice[1]) : KEYS[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });
  go(state.at);
  document.documentElement.dataset.ready = String(performance.now());
})();
