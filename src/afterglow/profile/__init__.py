"""Session -> Profile; many Profiles -> a report with intervals, as values, figures and one page."""
