"""What holds between two people, apart from follows: blocks."""
