"""Which tool of which agent fails most, from your own sessions: scan, then read the catalogue's entries.

python examples/failing_tools.py [FOLDER ...]
"""

import sys
from collections import Counter
from pathlib import Path

from afterglow import config
from afterglow.flows.read import profile, scan
from afterglow.records.selection import Selection

settings = config.load()
found = scan(settings, [Path(word) for word in sys.argv[1:]])
print(f"{found.sessions} sessions")
failed: Counter[str] = Counter()
for agent in found.agents:
    for row in profile(settings, Selection(agent=agent.agent)).tables["tool"].rows:
        failed[f"{agent.agent} {row.name}"] += row.rate.count
for tool, count in failed.most_common(10):
    print(f"{count:6}  {tool}")
