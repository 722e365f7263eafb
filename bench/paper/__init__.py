"""Makes the paper: `python -m bench.paper` turns docs/paper/manuscript.md and the result files beside it into
paper.html and paper.pdf. No number is typed by hand: each is taken from a result file, and leads to where it stands.
"""
