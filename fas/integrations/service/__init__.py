"""`fas serve` and `fas serve --mcp`: scores over HTTP and for assistants, from one loaded scorer."""
