"""The published dataset, made out of a loop's folder: `python -m bench.closed_loop.dataset --out DIR --to dataset`.

loop_folder    what a loop left behind, read
hide           paths, machine and secrets taken out of every text
turns, runs, lessons, tasks_table    rows of each table
columns        what a row of each table holds: the files' schema and the card's words
card           README.md, with counts out of the rows
files          Parquet and JSON lines, checksums, writing, checking
"""
