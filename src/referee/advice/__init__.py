"""Which goal metric, and why: questions, rules over the metrics' declared properties, and what follows."""
