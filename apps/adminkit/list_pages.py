"""Pages of the admin's lists that cost the same in a large table: a bounded count, and a page's ids first."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

#: Rows that are counted beyond the page on which a manager is.
MOST_COUNTED = 10_000


class MoreThan(int):
    """A count that stopped, which the admin's templates print as "more than 10,000"."""

    def __str__(self) -> str:
        return _("more than %(count)s") % {"count": f"{int(self):,}"}


class ListPaginator(Paginator[Any]):
    """Counts up to 10,000 rows beyond the page, and reads only that page's rows whole.

    Every row can be reached: the last page that a list names goes on to 500 more. Unfold's InfinitePaginator
    would not say that a search found three.
    """

    object_list: QuerySet[Any]

    def __init__(self, *args: Any, page: int, **options: Any) -> None:
        super().__init__(*args, **options)
        self.counted = MOST_COUNTED + (page - 1) * self.per_page

    @cached_property
    def count(self) -> int:
        found = self.object_list.order_by().values("pk")[: self.counted + 1].count()
        return MoreThan(self.counted) if found > self.counted else found

    def page(self, number: Any) -> Page[Any]:
        """One query for the ids, which an index answers however deep the page is; another for their rows."""
        page: Any = super().page(number)
        ids = list(page.object_list.values_list("pk", flat=True))
        page.object_list = self.object_list.filter(pk__in=ids)
        return page
