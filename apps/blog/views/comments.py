"""Pages and htmx fragments of comments."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts import auth
from apps.accounts.models import User
from apps.blog import access, comments, limits
from apps.blog.models import Comment, Note
from apps.web import htmx
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

COMMENTS_FRAGMENT = "#comments"


@require_http_methods(["GET", "POST"])
@never_cache
def note_comments(request: HttpRequest, note_id: int) -> HttpResponse:
    """Render a page of a note's comments; POST adds a comment."""
    note = access.note(note_id, None)
    if request.method == "POST":
        return _post_comment(request, note)
    until = parse_row_id(request.GET.get("until"))
    page = comments.list_page(note, request.GET.get("cursor"), auth.user_or_none(request), until=until)
    template = "blog/_comment_list.html" if htmx.is_htmx(request) else "blog/comments.html"
    return render(request, template, {"note": note, "comments": page})


@require_GET
@never_cache
def thread(request: HttpRequest, comment_id: int) -> HttpResponse:
    """Render a comment with a page of its replies; for htmx the next replies alone."""
    comment, viewer = access.thread(comment_id), auth.user_or_none(request)
    one = comments.load_thread(comment, viewer)
    page = comments.list_replies(one.comment, request.GET.get("cursor"), viewer)
    template = "blog/_replies.html" if htmx.is_htmx(request) else "blog/thread.html"
    return render(request, template, {"note": comment.note, "one": one, "replies": page})


@require_GET
@never_cache
def reply(request: HttpRequest, comment_id: int) -> HttpResponse:
    """Render the form to answer a comment or reply; for htmx with ?close nothing, which removes it."""
    auth.require_user(request)
    if "close" in request.GET and htmx.is_htmx(request):
        return HttpResponse()
    answered = access.comment(comment_id)
    template = "blog/_comment_form.html" if htmx.is_htmx(request) else "blog/reply.html"
    return render(request, template, {"note": answered.note, "answered": answered})


@require_POST
@never_cache
def delete(request: HttpRequest, comment_id: int) -> HttpResponse:
    """Delete a comment; its replies stay."""
    user = auth.require_user(request)
    comment = access.deletable_comment(comment_id, user)
    comments.delete(comment, by=user)
    if not htmx.is_htmx(request):
        undo = reverse("blog:restore_comment", args=[comment.pk])
        messages.success(request, _("The comment is deleted."), extra_tags=undo)
        return redirect(comment.note.get_absolute_url() + COMMENTS_FRAGMENT)
    return _render_again(request, comment, user)


@require_POST
@never_cache
def restore(request: HttpRequest, comment_id: int) -> HttpResponse:
    """Restore a comment that the person deleted."""
    user = auth.require_user(request)
    comment = access.own_deleted_comment(comment_id, user)
    comments.undo_delete(comment, by=user)
    if not htmx.is_htmx(request):
        messages.success(request, _("The comment is back."))
        return redirect(f"{comment.get_absolute_url()}#comment-{comment.pk}")
    return _render_again(request, comment, user)


def _post_comment(request: HttpRequest, note: Note) -> HttpResponse:
    user, text = auth.require_user(request), request.POST.get("text", "")
    answer_to = parse_row_id(request.POST.get("reply_to"))
    try:
        limits.charge(limits.comments(), user.pk)
        made = comments.add(note.pk, user, text, reply_to=answer_to, mention_ids=_mention_ids(request))
    except (ValidationError, Problem) as why:
        return _render_form(request, note, answer_to, {"text": text} | _refusal_context(why))
    if htmx.is_htmx(request):
        note.refresh_from_db()
        return render(
            request, "blog/_comment_new.html", {"note": note, "one": comments.build_view(made, user)}
        )
    messages.success(request, _("Your comment is there."))
    return redirect(f"{made.get_absolute_url()}#comment-{made.pk}")


def _mention_ids(request: HttpRequest) -> list[int]:
    """Return the ids of the people who were picked for names in the text."""
    return [parse_row_id(picked) for picked in request.POST.getlist("mention")]


def _refusal_context(why: ValidationError | Problem) -> dict[str, Any]:
    """Return the refusal's error text, HTTP status and headers."""
    if isinstance(why, Problem):
        return {"error": why.detail, "status": why.status, "headers": why.headers}
    return {"error": why.messages[0], "status": 422, "headers": {}}


def _render_again(request: HttpRequest, comment: Comment, user: User) -> HttpResponse:
    """Render the comment as it is now, and the note's comment count."""
    comment.refresh_from_db()
    comment.note.refresh_from_db()
    one = comments.build_view(comment, user) if comment.parent_id else comments.load_thread(comment, user)
    return render(request, "blog/_comment_updated.html", {"note": comment.note, "one": one})


def _render_form(request: HttpRequest, note: Note, answer_to: int, about: dict[str, Any]) -> HttpResponse:
    """Render the form again with the text that was sent and the error."""
    answered = access.comment(answer_to, note_id=note.pk) if answer_to else None
    template = "blog/_comment_form.html" if htmx.is_htmx(request) else "blog/reply.html"
    answer = render(request, template, {"note": note, "answered": answered} | about, status=about["status"])
    for name, value in about["headers"].items():
        answer[name] = value
    return answer
