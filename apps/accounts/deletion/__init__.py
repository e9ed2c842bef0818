"""Deleting an account: what each app does with a person's data, the days to think it over, and the purge."""
