"""experiment: plan a comparison, assign units, record what came of them, and read what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.experiment.compare_runs import RunPairs, from_runs
    from afterglow.flows.experiment.experiments import (
        Collected,
        analyse,
        assign,
        export,
        gathered,
        list_experiments,
        new,
        record,
        report,
        show,
    )
    from afterglow.flows.experiment.forecasts import forecast
    from afterglow.flows.experiment.peeks import Peek, peek
    from afterglow.flows.experiment.power_and_progress import power, status
    from afterglow.flows.experiment.standing import check_templates, start, stop
    from afterglow.flows.experiment.trials import BEFORE
else:
    __getattr__ = exports(
        __name__,
        {
            "experiments": (
                "Collected analyse assign export gathered list_experiments new record report show"
            ),
            "compare_runs": "RunPairs from_runs",
            "forecasts": "forecast",
            "peeks": "Peek peek",
            "power_and_progress": "power status",
            "standing": "check_templates start stop",
            "trials": "BEFORE",
        },
    )
