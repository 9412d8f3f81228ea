"""How often each test is wrong, by simulation: `make validity` writes results.json and docs/validity.md."""
