"""Django's database backend for PostgreSQL with the deadlines of the process (apps.web.sql_deadlines)."""
