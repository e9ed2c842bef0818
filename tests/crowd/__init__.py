"""Buyers for faults and for the lab: apps, browsers and scripts, of whom no two send the same."""
