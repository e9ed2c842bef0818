"""Draws cover pictures of shops as SVG; a shop's seed always gives the same picture."""
