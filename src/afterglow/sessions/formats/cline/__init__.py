"""Cline, and Roo Code and Kilo Code, which share its layout: messages of blocks, one document a task or session."""
