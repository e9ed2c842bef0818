from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("coupons", "0003_redeem_permission"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="voucher",
            options={
                "permissions": [("export_voucher", "Can export vouchers")],
                "verbose_name": "voucher",
                "verbose_name_plural": "vouchers",
            },
        ),
        migrations.AlterModelOptions(
            name="voucherorder",
            options={
                "permissions": [
                    ("redeem_order", "Can redeem coupons in the shop"),
                    ("export_voucherorder", "Can export orders, with people's phone numbers"),
                ],
                "verbose_name": "order",
                "verbose_name_plural": "orders",
            },
        ),
    ]
