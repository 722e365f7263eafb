"""What agents call while they work: `afterglow hook EVENT`. A deadline, a process that stays for a while for the next
calls, and no error that stops an agent."""
