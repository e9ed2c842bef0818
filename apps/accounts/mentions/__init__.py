"""People named in a text by "@": rows by id, so renamed people stay linked; one notification a text."""
