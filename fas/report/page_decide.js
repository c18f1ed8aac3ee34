  // ---- decisions ---------------------------------------------------------------------------

  // What a person says of a claim, as `fas labels` has it, and of the flags that lie on it.
  const SAID = [["1", "supported", "supported"], ["2", "contradicted", "contradicted"],
    ["3", "unsupported", "not settled"], ["4", "bad", "bad claim"]];
  const OF_FLAG = [["y", "right", "flag is right"], ["x", "wrong", "flag is wrong"]];
  const FIELDS = ["label", "flag", "note", "reviewer", "at", "chosen"];
  const keptAs = "fas-review:" + index.key;
  const places = new Map(); // "ID:NUMBER" to its place in the queue, once somebody asks
  const undone = [];
  let decisions = new Map();
  let reviewer = "";

  function warn(text) {
    byId("warning").textContent = text;
    byId("warning").hidden = !text;
  }

  const UNKEPT = "This browser keeps nothing for this page: save the decisions as a file before you close it.";

  // The newer of two decisions counts, so that a page with decisions and the browser's own can be put together.
  function take(found) {
    for (const [name, made] of found) {
      const before = decisions.get(name);
      if (!before || (before.at || "") <= (made.at || "")) decisions.set(name, made);
    }
  }

  function recall() {
    take(JSON.parse(byId("decisions").textContent).map((made) => [nameOf(made), made]));
    try {
      const kept = JSON.parse(localStorage.getItem(keptAs) || "null");
      if (kept) {
        take(kept.decisions);
        reviewer = kept.reviewer;
      }
    } catch (error) {
      warn(UNKEPT);
    }
  }

  function keep() {
    try {
      localStorage.setItem(keptAs, JSON.stringify({ decisions: [...decisions], reviewer }));
    } catch (error) {
      warn(UNKEPT);
    }
  }

  const nameOf = (made) => `${made.id}:${made.claim === undefined ? `f${made.flag_number}` : made.claim}`;
  const nameAt = (place) => `${answer(queue.rows[place]).id}:${named(queue.numbers[place])}`;
  const decided = (place) => decisions.get(nameAt(place)) || null;
  const isDecided = (made) => made !== null && Boolean(made.label || made.flag);

  // Whether a person says otherwise than the verdict, or that a flag is wrong.
  function against(place) {
    const made = decided(place);
    if (!isDecided(made)) return false;
    const verdict = LABELS[queue.codes[place] >> 3 & 7];
    return Boolean(made.label && verdict && made.label !== verdict) || made.flag === "wrong";
  }

  const DECIDED = {
    "": ["any", () => true],
    open: ["open", (place) => !isDecided(decided(place))],
    decided: ["decided", (place) => isDecided(decided(place))],
    against: ["otherwise than the verdict", against],
  };

  function decide(place, change) {
    const name = nameAt(place);
    const before = decisions.get(name) || null;
    undone.push([name, before]);
    const made = { ...(before || {}), ...change, reviewer: reviewer || undefined, at: new Date().toISOString() };
    if (byId("kind").value === "sample") made.chosen = "sample";
    decisions.set(name, made);
    keep();
    progress();
  }

  function undo() {
    const last = undone.pop();
    if (!last) return;
    const [name, before] = last;
    // An empty decision, not none: it is newer than what the page came with.
    decisions.set(name, before || { at: new Date().toISOString() });
    keep();
    progress();
    const node = [...document.querySelectorAll("#list .entry")].find((one) => nameAt(Number(one.dataset.place)) === name);
    if (node) show(redraw(node));
  }

  function redraw(node) {
    const made = entryCard(Number(node.dataset.place));
    node.replaceWith(made);
    return made;
  }

  // A key or button: the entry shows it. After a key the next one comes once the claim (or what is only a flag) is decided.
  function said(node, field, value, onward) {
    const place = Number(node.dataset.place);
    const one = entry(place);
    const now = decided(place) || {};
    decide(place, { [field]: now[field] === value ? undefined : value });
    const made = redraw(node);
    made.focus({ preventScroll: true });
    const after = decided(place);
    if (onward && after[field] && (!one.claim || after.label)) step(1);
  }

  function decisionPart(place, one) {
    const made = decided(place) || {};
    const button = (field) => ([key, value, text]) => {
      const node = make("button", { type: "button", class: "say", "data-say": value, "aria-pressed": String(made[field] === value) }, make("kbd", {}, key), ` ${text}`);
      node.addEventListener("click", () => said(node.closest(".entry"), field, value, false));
      return node;
    };
    const note = make("input", { class: "note", type: "text", value: made.note || "", "aria-label": "Note", placeholder: "note" });
    note.addEventListener("change", () => decide(place, { note: note.value.trim() || undefined }));
    return make("div", { class: "part decision", role: "group", "aria-label": "Decision" },
      make("div", { class: "says" }, one.claim ? SAID.map(button("label")) : null, one.flags.length ? OF_FLAG.map(button("flag")) : null, note),
      isDecided(made) && made.reviewer ? make("small", {}, `by ${made.reviewer}`) : null);
  }

  // How far the review is, on top of the list and in the first lines of the page.
  function progress() {
    const counts = Object.fromEntries(["", ...KINDS].map((kind) => [kind, { done: 0, same: 0, all: 0 }]));
    const of = (place) => Object.keys(counts).filter((kind) => WHICH[kind][1](queue.codes[place], place)).map((kind) => counts[kind]);
    if (decisions.size && !places.size) queue.rows.forEach((_, place) => places.set(nameAt(place), place));
    queue.codes.forEach((_, place) => { for (const count of of(place)) count.all += 1; });
    for (const [name, made] of decisions) {
      const place = places.get(name);
      if (place === undefined || !isDecided(made)) continue;
      for (const count of of(place)) {
        count.done += 1;
        count.same += against(place) ? 0 : 1;
      }
    }
    for (const node of document.querySelectorAll(".progress")) {
      const { done, same, all } = counts[node.dataset.kind];
      node.hidden = !done;
      node.textContent = `Decided here: ${done} of ${all}; ${same} as the verdict or flag says, ${done - same} otherwise.`;
    }
    const { done, all } = counts[""];
    byId("decided-bar").max = Math.max(1, all);
    byId("decided-bar").value = done;
    byId("decided-count").textContent = `${done} of ${all} to review decided`;
  }

  // ---- as a file ---------------------------------------------------------------------------

  function decisionLines() {
    const lines = [];
    queue.rows.forEach((_, place) => {
      const made = decided(place);
      if (!made || !FIELDS.slice(0, 3).some((field) => made[field])) return;
      const one = entry(place);
      const line = { id: one.a.id };
      if (one.claim) Object.assign(line, { claim: one.i + 1, text: one.claim.text, verdict: LABELS[one.claim.label] });
      else Object.assign(line, { flag_number: -one.i, text: one.flags[0].message });
      line.kind = one.kind;
      if (one.flags.length) line.flags = one.flags.map((f) => f.code);
      for (const field of FIELDS) if (made[field]) line[field] = made[field];
      // Claims that were looked for are no sample: whoever estimates from labels has to know.
      lines.push(JSON.stringify({ ...line, chosen: made.chosen || "queue" }) + "\n");
    });
    return lines;
  }

  function saveDecisions() {
    download(new Blob(decisionLines(), { type: "application/jsonl" }), `decisions-${(reviewer || "unnamed").replace(/[^\w.-]+/g, "-")}.jsonl`);
  }

  // Read back what was saved here or by somebody else; what is of another run is left out, and told.
  function loadDecisions(text) {
    const found = [];
    let [bad, foreign] = [0, 0];
    if (!places.size) queue.rows.forEach((_, place) => places.set(nameAt(place), place));
    for (const line of text.split("\n")) {
      if (!line.trim()) continue;
      let made;
      try {
        made = JSON.parse(line);
      } catch (error) {
        bad += 1;
        continue;
      }
      const place = made && typeof made.id === "string" ? places.get(nameOf(made)) : undefined;
      const one = place === undefined ? null : entry(place);
      const same = one && (one.claim ? one.claim.text : one.flags[0].message) === made.text;
      if (!same) foreign += 1;
      else found.push([nameOf(made), Object.fromEntries(FIELDS.filter((field) => typeof made[field] === "string").map((field) => [field, made[field]]))]);
    }
    take(found);
    keep();
    progress();
    update();
    const left = [bad && `lines that are no JSON: ${bad}`, foreign && `of no claim of this run: ${foreign}`].filter(Boolean);
    byId("loaded").textContent = [`Decisions read: ${found.length}`, ...left].join("; ");
  }

  function setUpDecisions() {
    recall();
    byId("reviewer").value = reviewer;
    byId("reviewer").addEventListener("input", () => { reviewer = byId("reviewer").value.trim(); keep(); });
    byId("save-decisions").addEventListener("click", saveDecisions);
    byId("load-decisions").addEventListener("change", async (event) => {
      for (const file of event.target.files) loadDecisions(await file.text());
      event.target.value = "";
    });
    fill(byId("decided"), Object.entries(DECIDED).map(([name, [text]]) => [name, text]));
    progress();
  }

  // The first entry after this one that nobody has decided; the list's pages turn for it.
  function nextOpen() {
    const at = current() ? shown.indexOf(Number(current().dataset.place)) : -1;
    const next = shown.findIndex((place, k) => k > at && !isDecided(decided(place)));
    if (next < 0) {
      byId("loaded").textContent = "No open claim after this one";
      return;
    }
    page = Math.floor(next / sizeOf());
    render();
    remember();
    show([...byId("list").children][next - page * sizeOf()]);
  }

  function decisionKeys(event, node) {
    if (event.key === "u") undo();
    if (event.key === "n") nextOpen();
    if (event.key === "e") saveDecisions();
    if (!node) return;
    const one = entry(Number(node.dataset.place));
    const label = SAID.find(([key]) => key === event.key);
    const flag = OF_FLAG.find(([key]) => key === event.key);
    if (label && one.claim) said(node, "label", label[1], true);
    if (flag && one.flags.length) said(node, "flag", flag[1], true);
  }

