  const index = JSON.parse(document.getElementById("index").textContent);
  const queue = JSON.parse(document.getElementById("queue").textContent);
  const byId = (id) => document.getElementById(id);
  const LABELS = index.labels;
  const KINDS = index.kinds;
  const ICONS = { supported: "✓", contradicted: "✗", unsupported: "?", unverified: "…" };
  // Where claims overlap, the text shows the verdict a reader must not miss.
  const RANK = ["contradicted", "unverified", "unsupported", "supported"];
  const blocks = new Map();
  const haystacks = { answers: null, claims: null };
  let view = "answers";
  let shown = [];
  let page = 0;
  let open = false;

  // Numbers read "0.123" and come rounded so (page_data.py): rounded twice, they would not be those of the terminal.
  const number = (value) => (value === null || value === undefined ? "–" : value.toFixed(3));

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

  // At once: a page of a thousand answers takes seconds to be scrolled through.
  function show(node) {
    node.focus({ preventScroll: true });
    node.scrollIntoView({ behavior: "instant", block: "start" });
    return node;
  }

  function answer(row) {
    const number = Math.floor(row / index.block);
    if (!blocks.has(number)) blocks.set(number, JSON.parse(byId("block-" + number).textContent));
    return blocks.get(number)[row % index.block];
  }

  // An entry of the queue: a claim, or a flag that lies on no claim (`claim` is null).
  function entry(place) {
    const [row, number, code] = [queue.rows[place], queue.numbers[place], queue.codes[place]];
    const a = answer(row);
    const claim = number >= 0 ? a.claims[number] : null;
    const overlap = (f) => claim !== null && claim.start !== null && f.start !== null && claim.start < f.end && f.start < claim.end;
    return {
      row, a, claim, i: number, kind: KINDS[code & 7], label: code >> 3 & 7, conflicting: (code & 64) > 0,
      flags: claim === null ? [a.flags[-number - 1]] : a.flags.filter((f) => f.counted && overlap(f)),
    };
  }

  const named = (number) => (number >= 0 ? String(number + 1) : `f${-number}`);
  const link = (a, number) => `#claim=${encodeURIComponent(a.id)}:${named(number)}`;

  function words(row) {
    const a = answer(row);
    const parts = [a.id, a.question || "", a.prediction];
    for (const claim of a.claims) parts.push(...claimWords(claim));
    for (const flag of a.flags) parts.push(flag.code, flag.drug || "", flag.message);
    for (const statement of a.statements || []) parts.push(statement.text);
    if (a.error) parts.push(a.error.type, a.error.message);
    return parts.join("\n").toLowerCase();
  }

  function claimWords(claim) {
    return [claim.text, ...claim.evidence.flatMap((e) => [e.id || "", e.title || "", e.sentence || ""])];
  }

  function entryWords(place) {
    const one = entry(place);
    const flags = one.flags.flatMap((f) => [f.code, f.drug || "", f.message]);
    return [one.a.id, one.a.question || "", ...(one.claim ? claimWords(one.claim) : []), ...flags].join("\n").toLowerCase();
  }

