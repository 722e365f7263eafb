"""OpenHands: events of one run, in one document, in a line of a benchmark's output, or a file each."""
