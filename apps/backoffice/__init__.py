"""What needs every app: the reconciliation of all, and the visitors' numbers for staff."""
