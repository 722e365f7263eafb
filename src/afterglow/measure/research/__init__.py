"""Questions about warm sessions: what came up in sessions held against what they could have been told; answers."""
