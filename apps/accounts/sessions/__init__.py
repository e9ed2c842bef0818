"""Who is logged in where: tokens in SQL, their copies in Redis, cookies."""
