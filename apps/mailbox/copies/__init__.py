"""Copies in Redis of what SQL says of a person's mailbox; SQL answers where a copy is missing."""
