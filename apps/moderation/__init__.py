"""Reports of what people write, what staff decides about them, and objections to that."""
