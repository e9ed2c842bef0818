"""What visitors see of ads: the boxes of pages, what fills them, and what follows from a look or a click."""
