"""One module a table: `TABLE` says what it holds, `drafts(material, ids, shared_rows)` makes its rows. The list is in
`dataset`."""
