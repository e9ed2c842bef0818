"""People named in a text by "@": rows by id, so that a renamed person stays linked; told once per text."""
