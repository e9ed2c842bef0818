"""From what a person types to a page of hits."""
