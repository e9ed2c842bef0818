"""Reports of messages, and what staff does about them."""
