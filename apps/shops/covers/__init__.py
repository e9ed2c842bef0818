"""Cover pictures that the site draws itself: one shop, one seed, always the same picture."""
