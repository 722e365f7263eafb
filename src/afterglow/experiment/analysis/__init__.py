"""What an experiment says: estimates with intervals, evidence that survives peeking, checks, and a verdict in words."""

from afterglow.experiment.analysis.full_analysis import analyse
from afterglow.experiment.analysis.power import needed, power_of

__all__ = ["analyse", "needed", "power_of"]
