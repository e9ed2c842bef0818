from django.db import migrations, models


def mark_known_people(apps, _schema_editor):
    """Country code 999 is nobody's: only load tests have made accounts with it."""
    User = apps.get_model("accounts", "User")
    User.objects.filter(phone__gte="+999", phone__lt="+99:").update(is_made_for_load=True)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0013_languages_of_settings'),
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='is_made_for_load',
            field=models.BooleanField(db_default=False, default=False, editable=False, verbose_name='made for load tests'),
        ),
        migrations.RunPython(mark_known_people, migrations.RunPython.noop),
    ]
