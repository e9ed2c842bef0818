from typing import Any

import django.core.validators
from django.db import migrations, models

#: The cities that the code knew before it had a table: slug, names, centre, and edges ten kilometres from it.
FORMER_CITIES = (
    ("hangzhou", "Hangzhou", "杭州", (30.2560, 120.1650), (30.1660, 120.0607, 30.3460, 120.2693)),
    ("shanghai", "Shanghai", "上海", (31.2304, 121.4737), (31.1404, 121.3683, 31.3204, 121.5791)),
)


def keep_cities(apps: Any, _editor: Any) -> None:
    """A site that has shops keeps the cities that its readers have chosen among; a new site begins without."""
    if not apps.get_model("shops", "Shop").objects.exists():
        return
    for position, (slug, english, chinese, centre, edges) in enumerate(FORMER_CITIES, start=1):
        apps.get_model("shops", "City").objects.create(
            slug=slug,
            name_en=english,
            name_zh=chinese,
            position=position,
            **dict(zip(("lat", "lng"), centre, strict=True)),
            **dict(zip(("south", "west", "north", "east"), edges, strict=True)),
        )



class Migration(migrations.Migration):

    dependencies = [
        ('shops', '0007_album_scores_dishes'),
    ]

    operations = [
        migrations.CreateModel(
            name='City',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(help_text="Addresses, cookies and rankings keep it: it can't be changed later.", max_length=40, unique=True, validators=[django.core.validators.RegexValidator('^[a-z0-9]+(-[a-z0-9]+)*\\Z', 'Write small letters, digits and single hyphens.')], verbose_name='name in addresses')),
                ('name_en', models.CharField(blank=True, max_length=50, verbose_name='English name')),
                ('name_zh', models.CharField(blank=True, max_length=50, verbose_name='Chinese name')),
                ('lat', models.FloatField(verbose_name='latitude of the centre')),
                ('lng', models.FloatField(verbose_name='longitude of the centre')),
                ('south', models.FloatField(verbose_name='southern edge')),
                ('west', models.FloatField(verbose_name='western edge')),
                ('north', models.FloatField(verbose_name='northern edge')),
                ('east', models.FloatField(verbose_name='eastern edge')),
                ('position', models.PositiveSmallIntegerField(default=0, help_text='Newcomers start in the open city with the smallest number.', verbose_name='position')),
                ('is_open', models.BooleanField(default=True, verbose_name='open')),
            ],
            options={
                'verbose_name': 'city',
                'verbose_name_plural': 'cities',
                'ordering': ['position', 'id'],
            },
        ),
        migrations.RunPython(keep_cities, migrations.RunPython.noop, elidable=True),
    ]
