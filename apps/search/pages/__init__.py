"""The pages of search: what an address says, what the page shows."""
