"""Files of rows that managers import: read, checked, shown, and then written batch by batch by a worker."""
