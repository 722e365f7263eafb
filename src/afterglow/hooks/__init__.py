"""What agents call while they work: `afterglow hook EVENT`. A deadline, a process that stays for a while, and no error that stops an agent."""
