from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0011_bio_of_several_lines'),
    ]

    operations = [
        migrations.AddField(
            model_name='accesstoken',
            name='proven_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
