"""The pages of chats."""
