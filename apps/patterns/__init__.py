"""Pages that explain the site's patterns, with code that runs, and commands that compare them."""
