"""Verbs that answers about health give advice with."""

# ruff: noqa: E501 - word lists are easier to check on one line

from __future__ import annotations

ADVICE_VERBS = frozenset(
    """
    abstain add recheck rehydrate reapply adjust administer aim allow alternate apply ask assess attend avoid bathe be begin bend blow boil breathe brush call
    carry check chew choose clean combine complete compress consider consult consume contact continue compile cook cover create cut decrease
    develop exceed discard discontinue discuss dispose dissolve do drink drive dry eat elevate eliminate encourage engage ensure establish evaluate
    exercise explore find finish flush focus follow gargle get give go have hold hydrate ice identify include incorporate increase inform
    inhale initiate inject insert inspect join keep learn let lie lift limit listen lose lower maintain make manage mark massage measure
    minimize minimise mix moisturize monitor move notify observe obtain opt order panic participate perform place plan practice practise
    prepare prescribe press prevent prioritize protect provide pull push put quit raise reach read reapply record reduce refer refrain
    refrigerate regulate relax remain remove repeat replace report request rest return review rinse rule schedule screen see seek select
    set shake share shower sit skip sleep slowly soak speak spend squeeze stand start stay stick stop store stretch supplement swallow
    switch take talk taper tell test throw tilt titrate touch track treat trim try turn undergo use visit wait walk warm wash watch wear weigh
    withhold work wrap
    """.split()
)
# Nouns too: an imperative only where the parser finds no other verb for them.
NOUNS_TOO = frozenset(
    "exercise rest ice sleep work test massage change drink stretch walk shower set plan record report request share cover place order "
    "return review screen practice measure supplement switch aim focus talk treat visit call cut contact start stay turn push pull press "
    "lower dry warm clean slowly limit use reach cook find stop watch wear brush monitor increase decrease check track hold store rule wrap".split()
)
