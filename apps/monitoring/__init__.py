"""Health, memory, rebuilds, reconciliation, and the admin's pages about Redis and metrics."""
