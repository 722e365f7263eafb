"""Traces of applications of language models: spans of requests and of tools, whoever recorded them."""
