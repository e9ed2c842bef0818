"""One scene a module: it begins, puts its things, and renders."""
