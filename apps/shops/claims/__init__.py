"""People say that a shop is theirs, or propose one that the site lacks; staff decides."""
