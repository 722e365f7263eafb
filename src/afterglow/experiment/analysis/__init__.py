"""What an experiment says: estimates with intervals, evidence that survives peeking, checks, and a verdict in words."""

from afterglow.experiment.analysis.power import needed, power_of
from afterglow.experiment.analysis.whole import analyse

__all__ = ["analyse", "needed", "power_of"]
