"""The web processes that may accept claims."""

from django.db import models


class WebProcess(models.Model):
    """A process that accepts claims; while it lives, `seen_at` is half a minute old at most."""

    name = models.CharField(max_length=300, primary_key=True)
    seen_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.name
