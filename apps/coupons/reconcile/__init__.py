"""Proof that Redis, SQL and payments agree: the invariants, one run over all of them, and the repairs."""
