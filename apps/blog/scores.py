from django.db.models import Count, Sum

from apps.blog.models import Note
from apps.shops import ratings


def follow(shop_id: int) -> None:
    """Count a shop's score anew from its published notes, in the transaction that changed one of them."""
    shop = ratings.lock(shop_id)
    rated = Note.objects.published().filter(shop=shop_id, rating__isnull=False)
    counted = rated.aggregate(notes=Count("pk"), stars=Sum("rating", default=0))
    ratings.follow(shop, notes=counted["notes"], stars=counted["stars"])
