"""How results are shown: in the terminal, as JSON, CSV and Markdown. A report is a function of a result."""
