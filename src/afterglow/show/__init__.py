"""What people look at: blocks, tables, figures, HTML, Markdown; one of each."""
