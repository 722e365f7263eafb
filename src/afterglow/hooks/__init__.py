"""What agents call while they work: `afterglow hook EVENT`. No daemon, a deadline, and no error that stops an agent."""
