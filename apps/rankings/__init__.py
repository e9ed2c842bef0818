"""Rankings: the shops of each type that a city goes to this week."""
