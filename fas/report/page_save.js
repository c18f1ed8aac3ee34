  // ---- what is shown as a table of its own -----------------------------------------------

  // A text that a spreadsheet would run as a formula gets an apostrophe in front.
  function cell(value) {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function tableOfAnswers() {
    const fields = Object.keys(index.fields);
    const metrics = Object.keys(index.metrics);
    const rows = shown.map((row) => {
      const a = answer(row);
      const count = (label) => a.claims.filter((c) => LABELS[c.label] === label).length;
      return [a.id, a.question, a.prediction, a.references.join("\n\n"),
        ...fields.map((name) => { const at = index.fields[name].of[row]; return at < 0 ? null : index.fields[name].values[at]; }),
        ...metrics.map((name) => index.metrics[name][row]), ...LABELS.map(count),
        index.flags[row].map((i) => index.flagNames[i]).join(" "), a.error ? a.error.message : null];
    });
    return [["id", "question", "prediction", "references", ...fields, ...metrics, ...LABELS, "flags", "error"], ...rows];
  }

  function tableOfClaims() {
    const rows = shown.map((place) => {
      const one = entry(place);
      const label = one.claim ? LABELS[one.claim.label] : null;
      const best = one.claim && one.claim.evidence.length ? one.claim.evidence[strongest(one.claim, label)] : {};
      const span = one.claim || one.flags[0];
      return [one.a.id, named(one.i), one.kind, label, one.claim && one.claim.ps, one.claim && one.claim.pc,
        one.claim ? one.claim.text : null, span.start === null ? null : one.a.prediction.slice(span.start, span.end),
        best.id, best.title, best.year, best.sentence, one.flags.map((f) => f.code).join(" "), one.flags.map((f) => f.message).join(" "),
        one.claim ? one.claim.failure : null, one.a.question, one.a.references.join("\n\n"),
        ...FIELDS.slice(0, 4).map((field) => (decided(place) || {})[field])];
    });
    return [["id", "claim", "kind", "label", "p_support", "p_contradict", "text", "in_answer", "passage_id", "passage_title",
      "passage_year", "passage_sentence", "flags", "flag_messages", "failure", "question", "references",
      "decision", "flag_decision", "note", "reviewer"], ...rows];
  }

  function csv() {
    const table = view === "answers" ? tableOfAnswers() : tableOfClaims();
    return table.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
  }

  function save() {
    download(new Blob(["\ufeff", csv()], { type: "text/csv;charset=utf-8" }), `${view}.csv`);
  }

  function download(blob, name) {
    const address = URL.createObjectURL(blob);
    const target = make("a", { href: address, download: name });
    document.body.append(target);
    target.click();
    target.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

