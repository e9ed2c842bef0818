from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from apps.blog.topics import find

BATCH_NOTES = 1_000


def fill_topics(apps: Any, _editor: Any) -> None:
    """Store the topics of the notes of before, a batch at a time."""
    notes, topics = apps.get_model("blog", "Note"), apps.get_model("blog", "NoteTopic")
    rows = []
    texts = notes.objects.filter(models.Q(text__contains="#") | models.Q(text__contains="＃"))
    for note_id, text in texts.order_by("pk").values_list("pk", "text").iterator(chunk_size=BATCH_NOTES):
        rows += [topics(note_id=note_id, topic=topic) for topic in find(text)]
        if len(rows) >= BATCH_NOTES:
            topics.objects.bulk_create(rows)
            rows = []
    topics.objects.bulk_create(rows)


class Migration(migrations.Migration):
    dependencies = [("blog", "0009_answers_as_the_shop")]

    operations = [
        migrations.CreateModel(
            name="NoteTopic",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("topic", models.CharField(max_length=30, verbose_name="topic")),
                (
                    "note",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="topic_rows",
                        to="blog.note",
                        verbose_name="note",
                    ),
                ),
            ],
            options={
                "verbose_name": "topic of a note",
                "verbose_name_plural": "topics of notes",
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "note"), name="blog_topic_once_a_note")
                ],
            },
        ),
        migrations.RunPython(fill_topics, migrations.RunPython.noop),
    ]
