"""Pages that are the same for everybody: one document per path and language, kept in the process."""
