"""Words that people search for and that staff edit: synonyms, stop words, blocked words, counts."""
