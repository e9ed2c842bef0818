"""How managers log in: phone and password, a second factor, and a new password when the old one is lost."""
