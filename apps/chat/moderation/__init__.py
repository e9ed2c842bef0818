"""What can be reported of chats, and staff's way into chats of other people."""
