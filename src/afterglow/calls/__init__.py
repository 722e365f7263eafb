"""What a call did: the one reader of shell lines and tool arguments.

Every later stage asks the same questions of a call: which program, which sub-command, which
file, what was it after, which of the commands in the line failed. They are answered here,
once, from a table of programs (`programs.toml`) and a real grammar of the shell.
"""
