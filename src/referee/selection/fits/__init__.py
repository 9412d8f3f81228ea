"""Models are fitted and asked, each piece of work once, and what was found is kept."""
