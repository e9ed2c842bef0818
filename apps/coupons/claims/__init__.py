"""The claim itself: who gets a unit of a flash sale, and what Redis holds of the sale."""
