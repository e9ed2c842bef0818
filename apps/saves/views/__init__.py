"""Pages and buttons of saves."""
