"""What staff decides about what was reported, who may, what it hides, and objections to it."""
