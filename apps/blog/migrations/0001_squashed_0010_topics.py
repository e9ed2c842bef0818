import apps.accounts.text_fields
import apps.blog.models
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('blog', '0001_initial'), ('blog', '0002_deleted_at'), ('blog', '0003_feed'), ('blog', '0004_comment_mentions'), ('blog', '0005_comment_deleted_by'), ('blog', '0006_names_for_managers'), ('blog', '0007_hidden_photos'), ('blog', '0008_album_scores_dishes'), ('blog', '0009_answers_as_the_shop'), ('blog', '0010_topics')]

    initial = True

    dependencies = [
        ('shops', '0001_squashed_0011_shop_claims'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Dish',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', apps.accounts.text_fields.LineField(max_length=30, verbose_name='name')),
                ('folded', models.CharField(editable=False, max_length=120)),
                ('recommended', models.PositiveIntegerField(default=0, editable=False, verbose_name='recommended by')),
                ('shop', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='dishes', to='shops.shop', verbose_name='shop')),
            ],
            options={
                'verbose_name': 'dish',
                'verbose_name_plural': 'dishes',
                'indexes': [models.Index(fields=['shop', '-recommended', 'id'], name='blog_dishes_best')],
                'constraints': [models.UniqueConstraint(fields=('shop', 'folded'), name='blog_dish_once_a_shop')],
            },
        ),
        migrations.CreateModel(
            name='Note',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', apps.accounts.text_fields.LineField(blank=True, max_length=80, verbose_name='title')),
                ('text', apps.accounts.text_fields.LinesField(blank=True, max_length=5000, verbose_name='text')),
                ('rating', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)], verbose_name='stars')),
                ('status', models.CharField(choices=[('draft', 'draft'), ('published', 'published'), ('deleted', 'deleted')], default='draft', max_length=9, verbose_name='status')),
                ('likes', models.PositiveIntegerField(default=0, editable=False, verbose_name='likes')),
                ('comments', models.PositiveIntegerField(default=0, editable=False, verbose_name='comments')),
                ('heat', models.FloatField(default=0, editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('updated_at', models.DateTimeField(auto_now=True, verbose_name='changed')),
                ('published_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='published')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notes', to=settings.AUTH_USER_MODEL, verbose_name='author')),
                ('shop', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='notes', to='shops.shop', verbose_name='shop')),
                ('deleted_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='deleted')),
                ('pulled', models.BooleanField(default=False, editable=False)),
                ('pushed_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('room', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)], verbose_name='room')),
                ('service', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)], verbose_name='service')),
                ('taste', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)], verbose_name='taste')),
                ('dishes', models.ManyToManyField(blank=True, related_name='named_in', to='blog.dish', verbose_name='recommended dishes')),
            ],
            options={
                'verbose_name': 'note',
                'verbose_name_plural': 'notes',
                'indexes': [models.Index(condition=models.Q(('status', 'published')), fields=['-heat', '-id'], name='blog_hot'), models.Index(condition=models.Q(('status', 'published')), fields=['author', '-published_at', '-id'], name='blog_by_author'), models.Index(condition=models.Q(('status', 'published')), fields=['shop', '-published_at', '-id'], name='blog_by_shop'), models.Index(fields=['author', 'status', '-updated_at', '-id'], name='blog_mine'), models.Index(condition=models.Q(('deleted_at__isnull', False)), fields=['deleted_at'], name='blog_deleted'), models.Index(condition=models.Q(('pushed_at__isnull', True)), fields=['author', 'status', 'pushed_at', '-published_at', '-id'], name='blog_unpushed'), models.Index(condition=models.Q(('pulled', False), ('pushed_at__isnull', True)), fields=['published_at'], name='blog_waiting'), models.Index(condition=models.Q(('status', 'published')), fields=['-published_at', '-id'], name='blog_newest')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('status', 'published'), _negated=True), ('published_at__isnull', False), _connector='OR'), name='blog_published_when')],
            },
        ),
        migrations.CreateModel(
            name='Comment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', apps.accounts.text_fields.LinesField(max_length=1000, verbose_name='text')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='when')),
                ('deleted_at', models.DateTimeField(blank=True, null=True, verbose_name='deleted')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to=settings.AUTH_USER_MODEL, verbose_name='author')),
                ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='replies', to='blog.comment', verbose_name='answers')),
                ('note', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comment_rows', to='blog.note', verbose_name='note')),
                ('mentions', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('deleted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='deleted by')),
                ('as_shop', models.BooleanField(db_default=False, default=False, editable=False, verbose_name='from the shop')),
            ],
            options={
                'verbose_name': 'comment',
                'verbose_name_plural': 'comments',
                'indexes': [models.Index(fields=['note', 'parent', 'created_at', 'id'], name='blog_comments'), models.Index(fields=['author', '-created_at'], name='blog_comments_of')],
            },
        ),
        migrations.CreateModel(
            name='Like',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='likes', to=settings.AUTH_USER_MODEL)),
                ('note', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='like_rows', to='blog.note')),
            ],
            options={
                'verbose_name': 'like',
                'verbose_name_plural': 'likes',
                'indexes': [models.Index(fields=['note', 'created_at', 'id'], name='blog_likers'), models.Index(fields=['user', '-created_at', '-id'], name='blog_liked')],
                'constraints': [models.UniqueConstraint(fields=('note', 'user'), name='blog_one_like_a_person')],
            },
        ),
        migrations.CreateModel(
            name='NoteTopic',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('topic', models.CharField(max_length=30, verbose_name='topic')),
                ('note', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='topic_rows', to='blog.note', verbose_name='note')),
            ],
            options={
                'verbose_name': 'topic of a note',
                'verbose_name_plural': 'topics of notes',
                'constraints': [models.UniqueConstraint(fields=('topic', 'note'), name='blog_topic_once_a_note')],
            },
        ),
        migrations.CreateModel(
            name='Photo',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(default=apps.blog.models.new_name, editable=False, max_length=32, unique=True)),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('width', models.PositiveIntegerField()),
                ('height', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='created')),
                ('note', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='photos', to='blog.note', verbose_name='note')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='photos', to=settings.AUTH_USER_MODEL, verbose_name='owner')),
                ('hidden_from', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='blog.note', verbose_name='hidden from')),
            ],
            options={
                'verbose_name': 'photo',
                'verbose_name_plural': 'photos',
                'ordering': ['position', 'id'],
                'indexes': [models.Index(condition=models.Q(('note__isnull', True)), fields=['created_at'], name='blog_unused_photos')],
            },
        ),
    ]
