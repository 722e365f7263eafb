"""A simulated fleet: a believable home folder of a small team's agents, with everything in it known beforehand.

Nobody ever ran these sessions. People, repositories, commands, secrets and mistakes are invented; what was planted
where is written down in a `Truth`, so that what readers and later stages find can be compared with what is there.
"""

from afterglow_demo.fleet import write_fleet
from afterglow_demo.truth import Truth

__all__ = ["Truth", "write_fleet"]
