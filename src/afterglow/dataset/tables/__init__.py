"""One module a table: `TABLE` says what it holds, `drafts(material, ids, kept)` makes its rows. The list is in
`dataset`."""
