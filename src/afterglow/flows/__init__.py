"""The verbs, one file each: the only place where stages meet. Surfaces call these and show what comes back."""
