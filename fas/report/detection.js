"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const index = JSON.parse($("index").textContent);
  const SIZE = 25;
  const blocks = new Map();
  let order = [];
  let page = 0;

  const answer = (i) => {
    const at = Math.floor(i / index.block);
    if (!blocks.has(at)) {
      if (blocks.size > 8) blocks.clear();
      blocks.set(at, JSON.parse($("block-" + at).textContent));
    }
    return blocks.get(at)[i % index.block];
  };

  const make = (tag, cls, text) => {
    const node = document.createElement(tag);
    if (cls) node.className = cls;
    if (text !== undefined) node.textContent = text;
    return node;
  };

  const wanted = () => ({
    which: $("which").value,
    member: Number($("member").value),
    harm: Number($("harm").value),
    least: Number($("least").value) || 0,
    text: $("search").value.trim().toLowerCase(),
  });

  // A finding passes if the member has a part in it, and its harm and score are high enough.
  const passes = (finding, want) =>
    (want.member < 0 || finding[0] & (1 << want.member)) && finding[1] >= want.harm && finding[2] >= want.least;

  const narrowed = (want) => want.member >= 0 || want.harm >= 0 || want.least > 0;

  const kept = (i, want) => {
    if (want.which === "failed" && index.scores[i] !== null) return false;
    if (want.which === "flagged" && index.flagged[i] !== 1) return false;
    if (want.which === "found" && !index.findings[i].length) return false;
    if (narrowed(want) && !index.findings[i].some((one) => passes(one, want))) return false;
    if (want.text) {
      const one = answer(i);
      const all = [one.id, one.question || "", one.prediction, ...one.findings.map((f) => f.text)].join("\n");
      if (!all.toLowerCase().includes(want.text)) return false;
    }
    return true;
  };

  const chip = (text, cls) => make("span", "chip" + (cls ? " " + cls : ""), text);
  const harmName = (level) => (level < 0 ? "harm not given" : "harm " + index.harms[level]);
  const said = (score) => score.toFixed(2);

  // The answer in pieces that the same findings touch.
  const marked = (one, open, show) => {
    const box = make("div", "prediction");
    if (!one.prediction) {
      box.append(make("span", "empty", "(empty answer)"));
      return box;
    }
    const cuts = new Set([0, one.prediction.length]);
    one.findings.forEach((f) => f.spans.forEach(([a, b]) => cuts.add(a).add(b)));
    const edges = [...cuts].sort((a, b) => a - b);
    for (let k = 0; k + 1 < edges.length; k += 1) {
      const [from, to] = [edges[k], edges[k + 1]];
      const here = [];
      one.findings.forEach((f, n) => {
        if (f.spans.some(([a, b]) => a <= from && to <= b && a < b)) here.push(n);
      });
      const text = one.prediction.slice(from, to);
      if (!here.length) {
        box.append(text);
        continue;
      }
      const lit = here.filter((n) => show[n]);
      const mark = make("mark", "found" + (lit.length ? "" : " dim"), text);
      const top = Math.max(0, ...lit.map((n) => one.findings[n].score));
      mark.style.setProperty("--strength", Math.round(100 * top) + "%");
      mark.tabIndex = 0;
      mark.setAttribute("role", "button");
      mark.setAttribute("aria-label", text + " (" + here.length + (here.length > 1 ? " findings, " : " finding, ") + "score " + said(top) + ")");
      const go = () => open(here, mark);
      mark.addEventListener("click", go);
      mark.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          go();
        }
      });
      box.append(mark);
    }
    return box;
  };

  const panel = (finding, shown) => {
    const box = make("details", "finding" + (finding.rule ? " deleted" : ""));
    box.hidden = !shown;
    const head = make("summary");
    head.append(make("b", "", said(finding.score)), make("span", "why", finding.text || "(no explanation)"));
    head.append(chip(harmName(finding.harm)));
    if (finding.by.length > 1) head.append(chip(finding.by.length + " members"));
    if (finding.rule) head.append(chip("deleted by " + finding.rule));
    finding.tags.forEach((tag) => head.append(chip(tag.replaceAll("_", " "))));
    box.append(head, make("blockquote", "", finding.snippet));
    const list = make("ul", "said");
    finding.by.forEach((part) => {
      const item = make("li");
      const who = make("div", "who");
      who.append(make("span", "mono", part.m), make("span", "", "confidence " + said(part.score)), make("span", "", harmName(part.harm)));
      item.append(who);
      if (part.text !== finding.text) item.append(make("div", "", part.text || "(no explanation)"));
      if (part.snippet !== finding.snippet) item.append(make("blockquote", "", part.snippet));
      list.append(item);
    });
    box.append(list);
    return box;
  };

  const card = (i, want) => {
    const one = answer(i);
    const box = make("article", "answer" + (one.failure ? " failed" : ""));
    box.dataset.id = one.id;
    const head = make("header");
    head.append(make("h3", "", one.id));
    if (one.score !== null) head.append(chip("score " + said(one.score)));
    if (one.flagged !== null) head.append(chip(one.flagged ? "flagged" : "not flagged", one.flagged ? "verdict" : ""));
    if (one.abstained.length) head.append(chip("without " + one.abstained.join(", ")));
    if (one.converged === false) head.append(chip("talk ended without agreement"));
    box.append(head);
    if (one.question) box.append(make("p", "question", one.question));
    const show = index.findings[i].map((finding) => Boolean(passes(finding, want)));
    const panels = one.findings.map((finding, n) => panel(finding, show[n]));
    const open = (which, mark) => {
      const wasOpen = mark.classList.contains("open");
      box.querySelectorAll("mark.open").forEach((other) => other.classList.remove("open"));
      panels.forEach((each, n) => { each.open = !wasOpen && which.includes(n); if (each.open) each.hidden = false; });
      if (wasOpen) return;
      mark.classList.add("open");
      panels[which[0]].scrollIntoView({ block: "nearest" });
    };
    box.append(marked(one, open, show));
    if (one.failure) box.append(make("p", "warn", "No result: " + one.failure));
    else if (!one.findings.length) box.append(make("p", "empty", one.deleted.length ? "Rules deleted every finding." : "Nothing was found."));
    panels.forEach((each) => box.append(each));
    if (one.deleted.length) {
      const gone = make("details");
      gone.append(make("summary", "", one.deleted.length + (one.deleted.length > 1 ? " findings were" : " finding was") + " deleted by rules"));
      one.deleted.forEach((finding) => gone.append(panel(finding, true)));
      box.append(gone);
    }
    one.leftOut.forEach((reason) => box.append(make("p", "hint", "Left out: " + reason)));
    return box;
  };

  const draw = () => {
    const want = wanted();
    const list = $("list");
    list.replaceChildren(...order.slice(page * SIZE, (page + 1) * SIZE).map((i) => card(i, want)));
    const pages = Math.max(1, Math.ceil(order.length / SIZE));
    $("pager").hidden = pages < 2;
    $("page").textContent = "page " + (page + 1) + " of " + pages;
    $("back").disabled = page === 0;
    $("on").disabled = page + 1 >= pages;
    $("status").textContent = order.length + " of " + index.n + " answers";
  };

  const choose = () => {
    const want = wanted();
    order = [];
    for (let i = 0; i < index.n; i += 1) if (kept(i, want)) order.push(i);
    if ($("order").value === "score") order.sort((a, b) => (index.scores[b] ?? -1) - (index.scores[a] ?? -1) || a - b);
    page = 0;
    draw();
  };

  index.members.forEach((name, n) => $("member").append(new Option(name, String(n))));
  $("controls").hidden = false;
  $("controls").addEventListener("submit", (event) => event.preventDefault());
  $("controls").addEventListener("change", choose);
  let timer = 0;
  $("search").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(choose, 150); });
  const turn = (by) => { page += by; draw(); $("answers").scrollIntoView(); };
  $("back").addEventListener("click", () => turn(-1));
  $("on").addEventListener("click", () => turn(1));
  choose();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
})();
