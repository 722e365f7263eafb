"""What knowledge came to: replays of the past, and readings of the present. Pure: what happened comes in as values."""
