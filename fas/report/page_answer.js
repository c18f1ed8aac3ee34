  // ---- one answer -----------------------------------------------------------------------

  function card(row) {
    const a = answer(row);
    const chips = a.meta.map(([name, value]) => make("span", { class: "chip" }, `${name}: ${value}`));
    const node = make("article", { class: a.error ? "answer failed" : "answer", "data-id": a.id, tabindex: "-1" },
      make("header", {}, make("h3", {}, make("a", { href: `#answer=${encodeURIComponent(a.id)}`, title: "Link to this answer" }, a.id)), chips));
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
    if (a.prediction) {
      const text = make("div", { class: "prediction", dir: "auto" }, coloured(a, row));
      node.append(text);
      if (text.querySelector(".unclaimed")) node.append(make("p", { class: "hint" }, make("span", { class: "unclaimed" }, "Text underlined so"), " became no claim."));
    }
    else if (!a.error) node.append(make("p", { class: "prediction empty" }, "The answer is empty."));
    if (a.flags.length) node.append(make("ul", { class: "flags", "aria-label": "Safety flags" }, a.flags.map(flagItem)));
    if (a.claims.length) {
      node.append(make("ol", { class: "claims", "aria-label": "Claims" }, a.claims.map((claim, i) => claimItem(claim, i, row))));
    } else if (!a.error && a.prediction) node.append(make("p", { class: "empty" }, "No claim was found in this answer."));
    if (a.references.length) {
      node.append(make("details", { class: "references" },
        make("summary", {}, a.references.length > 1 ? `${a.references.length} reference answers` : "Reference answer"),
        a.references.map((text) => make("blockquote", { class: "reference", dir: "auto" }, text))));
    }
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
        const beside = [s.kind === "nice" ? "may be said" : null, s.severity && `severity: ${s.severity}`,
          s.harm && `harm: ${s.harm}${s.harm_kind ? ` (${s.harm_kind})` : ""}`, s.failure];
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
    // Where a claim has no place, nobody can say of the rest that it became none.
    const placed = !a.error && spans.length === a.claims.length;
    const cuts = new Set([0, a.prediction.length]);
    for (const s of [...spans, ...flags]) cuts.add(s.start).add(s.end);
    const at = [...cuts].filter((c) => c >= 0 && c <= a.prediction.length).sort((x, y) => x - y);
    const pieces = [];
    for (let k = 0; k + 1 < at.length; k += 1) {
      const [from, to] = [at[k], at[k + 1]];
      const covering = spans.filter((c) => c.start <= from && c.end >= to);
      const marked = flags.some((f) => f.start <= from && f.end >= to);
      let piece = a.prediction.slice(from, to);
      if (!covering.length && placed && /[\p{L}\p{N}]/u.test(piece)) piece = make("span", { class: "unclaimed", title: "Became no claim" }, piece);
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

  // Why an unsupported claim is not settled (fas.verdicts.unsupported).
  const WHY = {
    off_topic: "No passage is about this.", related: "The passages are about this and state something else.",
    part: "The passages state a part of this claim; it counts as unsupported",
    hedge: "A passage says this less surely than the claim.", aim: "A passage asks or plans this and does not state it.",
  };

  // High-severity flags raised on the text of a claim: its verdict never stands alone.
  function flagsOn(claim, row) {
    if (claim.start === null) return [];
    return answer(row).flags.filter((flag) => flag.counted && flag.severity === "high" && flag.start !== null
      && flag.start < claim.end && claim.start < flag.end);
  }

  const verdictBadge = (claim) => make("span", { class: `badge ${LABELS[claim.label]}` }, claim.why === "part" ? "in part" : LABELS[claim.label]);

  // The claim; of one that is supported in part, the words are marked that no passage holds.
  function claimText(claim) {
    const lacking = new Set(claim.why === "part" ? claim.missing : []);
    return claim.text.split(/([\p{L}\p{N}_][\p{L}\p{N}_'-]*)/u).map((piece) => (
      lacking.has(piece) ? make("span", { class: "lacking", title: "In no passage" }, piece) : piece));
  }

  function whyUnsupported(claim) {
    if (!claim.why) return [];
    const missing = claim.missing.length ? ["; in no passage: ", make("b", { dir: "auto" }, claim.missing.join(", "))] : [];
    return [make("p", { class: "hint" }, WHY[claim.why] || claim.why, missing)];
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
    for (const flag of flagsOn(claim, row)) {
      notes.push(make("span", { class: "badge note", title: flag.message || "" }, `⚠ ${flag.flag}`));
    }
    const probabilities = claim.ps === null ? "" : `supports ${number(claim.ps)} · contradicts ${number(claim.pc)}`;
    const summary = make("summary", {},
      make("span", {}, verdictBadge(claim), notes.length ? " " : null, notes),
      make("span", { class: "text", dir: "auto" }, `${i + 1}. `, claimText(claim)),
      make("span", { class: "probs" }, probabilities));
    const inside = [];
    if (claim.start === null) inside.push(make("p", { class: "hint" }, "This claim has no exact place in the text."));
    if (claim.failure) inside.push(make("p", { class: "error" }, claim.failure));
    inside.push(...whyUnsupported(claim));
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
      inside.push(make("p", { class: "hint" }, nothingRead(claim)));
    }
    inside.push(make("p", { class: "hint" }, make("a", { href: link(answer(row), i) }, "This claim in the queue")));
    return make("li", { id: `claim-${row}-${i}` }, make("details", { open }, summary, inside));
  }

  function nothingRead(claim) {
    return claim.ps === null ? "No evidence was found for this claim." : "Judged without a passage, by what the model knows.";
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
      ? make("blockquote", { dir: "auto" }, e.before ? make("span", { class: "context" }, e.before) : null,
        e.before || e.after ? make("mark", { class: "window" }, e.sentence) : e.sentence, e.after ? make("span", { class: "context" }, e.after) : null)
      : e.after ? make("blockquote", { dir: "auto" }, make("span", { class: "context" }, e.after))
      : make("p", { class: "missing" }, "The verifier named no sentence.");
    if (together) return make("li", { class: best ? "strongest" : null }, source, e.sentence || e.after ? quote : null);
    const judged = e.ps === null ? "could not be judged" : `supports ${number(e.ps)} · contradicts ${number(e.pc)}`;
    return make("li", { class: best ? "strongest" : null }, source, quote, make("div", { class: "probs" }, judged));
  }

  function flagItem(flag) {
    const facts = [`severity ${flag.severity}`, flag.status, flag.rule && `rule ${flag.rule}`, flag.source,
      flag.counted ? null : "not counted"];
    return make("li", { class: flag.counted ? null : "uncounted" },
      make("b", { class: "mono" }, `⚑ ${flag.code}`), ` ${flag.message}`, make("small", {}, facts.filter(Boolean).join(" · ")));
  }

