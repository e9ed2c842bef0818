"""A log-in keeps the city of its address; the addresses that were kept are deleted."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0005_mentions'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='accesstoken',
            name='ip',
        ),
        migrations.AddField(
            model_name='accesstoken',
            name='city_en',
            field=models.CharField(blank=True, max_length=100, verbose_name='city, in English'),
        ),
        migrations.AddField(
            model_name='accesstoken',
            name='city_zh',
            field=models.CharField(blank=True, max_length=100, verbose_name='city, in Chinese'),
        ),
    ]
