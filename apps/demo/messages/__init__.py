"""What people of the demo city are told, and what they write to each other."""
