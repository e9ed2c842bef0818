"""Notifications and chat messages of the demo city's people."""
