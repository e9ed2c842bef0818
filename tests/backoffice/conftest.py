from tests.blog.conftest import no_stale_copies

__all__ = ["no_stale_copies"]
