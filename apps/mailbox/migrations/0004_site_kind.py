from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('mailbox', '0003_reports'),
    ]

    operations = [
        migrations.AlterField(
            model_name='notification',
            name='kind',
            field=models.CharField(choices=[('like', 'Likes'), ('comment', 'Comments'), ('reply', 'Replies'), ('mention', 'Mentions'), ('follow', 'New followers'), ('order', 'Orders'), ('sale', 'Sales about to start'), ('refund', 'Refunds'), ('chat', 'Invitations to chats'), ('report', 'Reports and decisions'), ('site', 'News from the site')], max_length=8, verbose_name='kind'),
        ),
    ]
