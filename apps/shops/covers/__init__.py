"""Drawn cover pictures of shops, as SVG; a shop's name and number always give the same picture."""
