"""web: the pages of `afterglow serve`. They call flows and show what comes back; what decides lives below."""
