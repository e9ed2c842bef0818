from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("queues", "0001_dead_tasks")]

    operations = [
        migrations.CreateModel(
            name="OwedEffect",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("effect", models.CharField(max_length=200)),
                ("arguments", models.JSONField(default=list)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("due_at", models.DateTimeField(db_index=True)),
            ],
        ),
    ]
