"""How summaries are made: in memory, and in a database. An engine is a module with one function, `summarise`."""
