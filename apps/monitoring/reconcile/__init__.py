"""The reconciliation of the whole site: parts that the apps register, their runs, and what came of them."""
