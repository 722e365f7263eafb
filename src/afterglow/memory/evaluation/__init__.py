"""Is a memory backend any good? Points for what it does, measured; beside them what it finds, survives and costs.

The test data is kept apart from a person's own: it belongs to a user nobody has, and is deleted again; `evaluate_all`
opens backends that keep files in a scratch folder.
"""

from __future__ import annotations

from afterglow.memory.evaluation.evaluate import evaluate, evaluate_all
from afterglow.memory.evaluation.report import as_markdown, as_table, recommendation
from afterglow.records.evaluation import Evaluation

# As this was first called; the same things.
BackendEvaluation = Evaluation
evaluate_backend = evaluate
evaluate_backends = evaluate_all

__all__ = [
    "BackendEvaluation",
    "as_markdown",
    "as_table",
    "evaluate",
    "evaluate_all",
    "evaluate_backend",
    "evaluate_backends",
    "recommendation",
]
