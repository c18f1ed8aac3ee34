"""`fas serve` and `fas mcp`: scores over HTTP and for assistants, from one loaded scorer."""
