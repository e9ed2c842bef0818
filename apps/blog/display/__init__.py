"""How notes are displayed: cards, lists, the page of one note, and the home page's panels."""
