"""Notifications of a person, their preferences, and the staff's messages to many."""
