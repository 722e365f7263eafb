"""The literature behind what was done: only what this analysis in fact used is cited."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.experiment.report.view import View
from afterglow.show.blocks import Cite, Points, say

# key -> (a word of the method that calls for it, or "" for every analysis; the entry)
LITERATURE = {
    "consort": ("", "Schulz KF, Altman DG, Moher D (2010). CONSORT 2010 statement: updated guidelines for reporting "
                "parallel group randomised trials. BMJ 340:c332."),
    "any time": ("", "Ramdas A, Grünwald P, Vovk V, Shafer G (2023). Game-theoretic statistics and safe anytime-valid "
                 "inference. Statistical Science 38:576–601."),
    "sequence": ("", "Waudby-Smith I, Arbour D, Sinha R, Kennedy EH, Ramdas A (2024). Time-uniform central limit "
                 "theory and asymptotic confidence sequences. Annals of Statistics 52:2613–2640."),
    "mixture": ("", "Robbins H (1970). Statistical methods related to the law of the iterated logarithm. Annals of "
                "Mathematical Statistics 41:1397–1409."),
    "welch": ("welch", "Welch BL (1947). The generalization of 'Student's' problem when several different population "
              "variances are involved. Biometrika 34:28–35."),
    "newcombe": ("newcombe", "Newcombe RG (1998). Interval estimation for the difference between independent "
                 "proportions: comparison of eleven methods. Statistics in Medicine 17:873–890."),
    "boschloo": ("boschloo", "Boschloo RD (1970). Raised conditional level of significance for the 2×2-table when "
                 "testing the equality of two probabilities. Statistica Neerlandica 24:1–9."),
    "mcnemar": ("mcnemar", "McNemar Q (1947). Note on the sampling error of the difference between correlated "
                "proportions or percentages. Psychometrika 12:153–157."),
    "agresti": ("agresti", "Agresti A, Min Y (2005). Simple improved confidence intervals for comparing matched "
                "proportions. Statistics in Medicine 24:729–740."),
    "cluster": ("cluster", "Liang KY, Zeger SL (1986). Longitudinal data analysis using generalized linear models. "
                "Biometrika 73:13–22."),
    "adjusted": ("adjusted", "Lin W (2013). Agnostic notes on regression adjustments to experimental data: reexamining "
                 "Freedman's critique. Annals of Applied Statistics 7:295–318."),
    "holm": ("holm", "Holm S (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of "
             "Statistics 6:65–70."),
}  # fmt: skip


def used(view: View) -> list[str]:
    """Keys of what this analysis rests on, in the order of the list."""
    estimates = view.analysis.estimates
    words = " ".join(estimate.method.lower() for estimate in estimates)
    if any(estimate.adjusted is not None for estimate in estimates):
        words += " adjusted"
    if any(estimate.holm is not None for estimate in estimates):
        words += " holm"
    return [key for key, (word, _) in LITERATURE.items() if re.search(word, words)]


def cite(view: View, *keys: str) -> Iterator[Cite]:
    cited = used(view)
    for key in keys:
        if key in cited:
            yield Cite(cited.index(key) + 1)


def references(view: View) -> Points:
    return Points(tuple(say(LITERATURE[key][1]) for key in used(view)), numbered=True)
