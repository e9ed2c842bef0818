"""How pages look: small pictures of each, two widths by two themes by two languages, and their comparison."""
