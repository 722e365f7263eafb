"""One module a page: ROUTES, handlers, and `exported(config)`, the paths of it that a static copy holds."""
