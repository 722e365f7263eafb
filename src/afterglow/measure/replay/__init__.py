"""Replay: the errors of past sessions beside the contexts those sessions would have started with."""
