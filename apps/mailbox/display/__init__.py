"""What people read of notifications."""
