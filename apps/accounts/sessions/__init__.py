"""Log-ins: tokens in SQL, their copies in Redis, cookies."""
