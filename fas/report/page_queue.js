  // ---- one claim of the queue ------------------------------------------------------------

  const AROUND = 240; // characters of the answer on either side of the claim

  function entryCard(place) {
    const one = entry(place);
    const label = one.claim ? LABELS[one.claim.label] : null;
    const badges = [];
    if (label) badges.push(verdictBadge(one.claim));
    if (one.conflicting) badges.push(make("span", { class: "badge note" }, "⇄ conflicting"));
    if (one.flags.length) badges.push(make("span", { class: "badge note" }, "⚑ flagged"));
    const probabilities = one.claim && one.claim.ps !== null
      ? make("span", { class: "probs" }, `supports ${number(one.claim.ps)} · contradicts ${number(one.claim.pc)}`) : null;
    const node = make("article", { class: "entry", tabindex: "-1", "data-place": String(place), "data-id": one.a.id, "data-number": named(one.i) },
      make("header", {}, badges, probabilities, make("a", { href: link(one.a, one.i), title: "Link to this claim" }, "link"),
        make("a", { class: "mono to-answer", href: `#answer=${encodeURIComponent(one.a.id)}`, title: "Its answer" }, one.a.id),
        one.a.meta.filter(([name]) => name in index.fields).map(([name, value]) => make("span", { class: "chip" }, `${name}: ${value}`))));
    if (one.claim) node.append(make("h3", { dir: "auto" }, claimText(one.claim)));
    if (one.flags.length) node.append(make("ul", { class: "flags", "aria-label": "Safety flags" }, one.flags.map(flagItem)));
    if (one.a.question) node.append(part("Question", make("p", { class: "asked", dir: "auto" }, one.a.question)));
    const span = one.claim || one.flags[0];
    if (span.start !== null && span.end > span.start) node.append(part("In the answer", inAnswer(one, span)));
    if (one.claim) node.append(...judged(one, label));
    if (one.a.references.length) {
      const many = one.a.references.length > 1;
      node.append(part(many ? `Reference answers (${one.a.references.length})` : "Reference answer",
        ...one.a.references.map((text) => make("blockquote", { class: "reference", dir: "auto" }, text))));
    }
    node.append(decisionPart(place, one));
    return node;
  }

  const part = (title, ...children) => make("div", { class: "part" }, make("h4", {}, title), ...children);

  function inAnswer(one, span) {
    const text = one.a.prediction;
    const whole = text.length <= span.end - span.start + 2 * AROUND;
    const from = whole ? 0 : border(text, Math.max(0, span.start - AROUND));
    const to = whole ? text.length : border(text, Math.min(text.length, span.end + AROUND));
    const style = one.claim ? LABELS[one.claim.label] : null;
    return make("p", { class: "around", dir: "auto" }, from ? "… " : null, text.slice(from, span.start),
      make("mark", { class: style || "flagged" }, text.slice(span.start, span.end)), text.slice(span.end, to), to < text.length ? " …" : null);
  }

  // Never between the halves of a character.
  const border = (text, at) => (at > 0 && at < text.length && /[\udc00-\udfff]/.test(text[at]) ? at - 1 : at);

  function judged(one, label) {
    const claim = one.claim;
    const found = [];
    if (claim.failure) found.push(make("p", { class: "error" }, claim.failure));
    found.push(...whyUnsupported(claim));
    if (!claim.evidence.length) {
      if (!claim.failure) found.push(make("p", { class: "hint" }, nothingRead(claim)));
      return found;
    }
    const together = claim.ps !== null && claim.evidence.every((e) => e.ps === null);
    const best = together ? 0 : strongest(claim, label);
    found.push(part("Passage that decided", make("ol", { class: "evidence" }, evidenceItem(claim.evidence[best], true, label, together))));
    const others = claim.evidence.filter((_, k) => k !== best);
    if (others.length) {
      found.push(make("details", { class: "others", open },
        make("summary", {}, `${others.length} other passage${others.length > 1 ? "s" : ""}`),
        make("ol", { class: "evidence" }, others.map((e) => evidenceItem(e, false, label, together)))));
    }
    return found;
  }

  // ---- going through them ----------------------------------------------------------------

  function current() {
    const node = document.activeElement && document.activeElement.closest ? document.activeElement.closest(".entry") : null;
    return node || null;
  }

  // The entry after the one that has the focus, or the one before; turns the page where it ends.
  function step(by) {
    const entries = [...document.querySelectorAll("#list .entry")];
    if (!entries.length) return;
    const at = entries.indexOf(current());
    let next = at < 0 ? (by > 0 ? 0 : entries.length - 1) : at + by;
    if (next < 0 || next >= entries.length) {
      if (page + by < 0 || page + by >= pagesOf()) return;
      page += by;
      render();
      remember();
      const turned = [...document.querySelectorAll("#list .entry")];
      show(turned[by > 0 ? 0 : turned.length - 1]);
      return;
    }
    show(entries[next]);
  }

