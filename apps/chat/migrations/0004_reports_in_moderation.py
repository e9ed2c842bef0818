"""Reports of chats and messages move to the app moderation, which has the reports of everything."""

from typing import Any

from django.db import migrations
from django.db.models import F

OPEN, HIDDEN, DISMISSED = "open", "hidden", "dismissed"


def move_reports(apps: Any, _schema: Any) -> None:
    """Give each reported chat or message its case, with its reports and the decision that answered them."""
    for row in apps.get_model("chat", "Report").objects.select_related("chat", "message").order_by("pk"):
        _move(apps, row)


def _move(apps: Any, row: Any) -> None:
    cases, decisions = (apps.get_model("moderation", name).objects for name in ("Case", "Decision"))
    message = row.message
    about = {"kind": "message" if message else "chat", "target_id": message.pk if message else row.chat_id}
    first = {
        "author_id": message.author_id if message else None,
        "excerpt": row.excerpt or row.chat.name,
        "state": "decided",
        "opened_at": row.created_at,
    }
    case, _is_new = cases.get_or_create(**about, defaults=first)
    decision = None
    if row.state == OPEN:
        cases.filter(pk=case.pk).update(state="open", report_count=F("report_count") + 1)
    else:
        is_hidden = row.state == HIDDEN
        decided = {"decided_by_id": row.decided_by_id, "decided_at": row.decided_at or row.created_at}
        reason = {"reason": "message hidden" if is_hidden else "dismissed"}
        decision, _is_new = decisions.get_or_create(case=case, is_hidden=is_hidden, defaults=decided | reason)
    apps.get_model("moderation", "Report").objects.create(
        **{"case": case, "reporter_id": row.reporter_id, "decision": decision},
        **{"reason": row.reason, "text": row.text, "created_at": row.created_at},
    )


def return_reports(apps: Any, _schema: Any) -> None:
    """The reverse: reports of chats and messages come back with what was decided last, one a person and thing."""
    rows = apps.get_model("moderation", "Report").objects.select_related("case", "decision")
    chat_reports, messages = (apps.get_model("chat", name).objects for name in ("Report", "Message"))
    for row in rows.filter(case__kind__in=["message", "chat"]).order_by("-pk"):
        message = messages.filter(pk=row.case.target_id).first() if row.case.kind == "message" else None
        if row.case.kind == "message" and message is None:
            continue
        decided = row.decision
        about = {
            "chat_id": message.chat_id if message else row.case.target_id,
            "message": message,
            "reporter_id": row.reporter_id,
        }
        known = {"reason": row.reason if row.reason in {"spam", "insult", "sexual"} else "other"}
        known |= {"text": row.text, "excerpt": row.case.excerpt if message else ""}
        known |= {"created_at": row.created_at, "state": OPEN}
        if decided:
            known |= {"state": HIDDEN if decided.is_hidden else DISMISSED}
            known |= {"decided_by_id": decided.decided_by_id, "decided_at": decided.decided_at}
        chat_reports.get_or_create(**about, defaults=known)
    apps.get_model("moderation", "Case").objects.filter(kind__in=["message", "chat"]).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0003_voucher_cards"),
        ("moderation", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(move_reports, return_reports),
        migrations.DeleteModel(name="Report"),
    ]
