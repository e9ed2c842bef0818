import django.core.validators
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F


def keep_what_was_there(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Scores from before notes existed are what was imported."""
    shops = apps.get_model("shops", "Shop").objects.using(editor.connection.alias)
    shops.update(imported_rating=F("rating"), imported_reviews=F("reviews"))


class Migration(migrations.Migration):
    dependencies = [("shops", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="shop",
            name="imported_rating",
            field=models.PositiveSmallIntegerField(
                default=0,
                validators=[django.core.validators.MaxValueValidator(50)],
                verbose_name="imported rating, in tenths",
            ),
        ),
        migrations.AddField(
            model_name="shop",
            name="imported_reviews",
            field=models.PositiveIntegerField(default=0, verbose_name="imported reviews"),
        ),
        migrations.RunPython(keep_what_was_there, migrations.RunPython.noop),
    ]
