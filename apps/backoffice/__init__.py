"""Staff tools that need every app: the reconciliation of social data, and the visitors' page."""
