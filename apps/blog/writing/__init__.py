"""What an author does: notes from draft to deletion, their photos, their shop and its score."""
