"""What the pages of chats show."""
