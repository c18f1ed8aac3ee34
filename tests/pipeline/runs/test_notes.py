"""Notes are sentences that can be read aloud, of one thing and of several; the expected ones are written by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from fas.core.records import Counts
from fas.pipeline.runs.notes import COUNTS, note_records, note_work
from fas.scoring.aggregate import ScoreColumns

ONE = [
    "the source marks 1 judged passage as 'retracted'",
    "1 of 8 answers failed; no mean includes it, and the field `error` says why",
    "1 of 7 answers has no verified claim; Support, Contra and FAS leave it out; "
    "1 abstains: it refuses or says nothing",
    "1 of 7 answers is not scored: language; the embedded models read English only",
    "1 of 9 claims is unverified and omitted from the shares: 1 time no route; 1 of 7 answers has such a claim",
    "1 of 5 statements could not be judged; coverage omits it",
    "1 of 9 claims has no evidence and counts as unsupported",
    "of 1 unsupported claim with evidence, 1 has no passage about it",
    "passages both support and contradict 1 of 9 claims",
]
TWO = [
    "the source marks 2 judged passages as 'retracted'",
    "2 of 8 answers failed; no mean includes them, and the field `error` says why",
    "2 of 6 answers have no verified claim; Support, Contra and FAS leave them out; "
    "2 abstain: they refuse or say nothing",
    "2 of 6 answers are not scored: language; the embedded models read English only",
    "2 of 9 claims are unverified and omitted from the shares: 2 times no route; 2 of 6 answers have such a claim",
    "2 of 5 statements could not be judged; coverage omits them",
    "2 of 9 claims have no evidence and count as unsupported",
    "of 2 unsupported claims with evidence, 2 have no passage about them",
    "passages both support and contradict 2 of 9 claims",
]


@pytest.mark.parametrize(("n", "expected"), [(1, ONE), (2, TWO)])
def test_notes_on_records_agree_with_their_counts(n, expected):
    columns = ScoreColumns(5, statuses={"retracted": n}, n=8, n_failed=n, n_unscored=n, n_abstained=n, n_language=n)
    columns.failures, columns.reasons = Counter({"no route": n}), Counter({"off_topic": n})
    columns.n_incomplete, columns.n_statements, columns.n_statements_lost = n, 5, n
    columns.counts = Counts(n_claims=9, n_unverified=n, n_no_evidence=n, n_conflicting=n)
    assert note_records(columns) == expected


def test_notes_on_what_was_not_read_agree_with_their_counts():
    assert note_work(dict.fromkeys(COUNTS, 1), 5) == [
        "1 given passage ranked below the best 5 of a claim and was not read",
        "1 passage repeats another passage of the same claim; the verifier read such a text once",
        "the evidence source gave more than k=5 passages for a claim: 1 passage beyond the first 5 was not read",
        "1 text is longer than the encoder reads at once; BERTScore reads overlapping windows",
    ]
    assert note_work(dict.fromkeys(COUNTS, 2), 3, truncated=True) == [
        "2 given passages ranked below the best 3 of a claim and were not read",
        "2 passages repeat another passage of the same claim; the verifier read such a text once",
        "the evidence source gave more than k=3 passages for a claim: 2 passages beyond the first 3 were not read",
        "2 texts are longer than the encoder reads at once; BERTScore cuts them there",
    ]
