"""Makes ordinary vouchers of the demo: two or three for three shops in five, with fitting pictures."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from random import Random

from apps.accounts.pictures import files
from apps.coupons.models import Voucher
from apps.demo.pictures import album, care, dishes, drinks, named_things, play, sport
from apps.demo.pictures.album import Motif
from apps.demo.pictures.moods import CREAM, LAKE, LEAF, NIGHT, PERSIMMON, ROSE, SKY, WINE, WOOD
from apps.demo.social import note_texts, own_photos
from apps.shops.models import Shop
from apps.web import batches

#: The folder of their files in the storage.
FOLDER = "vouchers"
#: How many one person may buy of each.
PER_PERSON = 5
#: Highest id of a shop that gets vouchers: a million shops need no two million vouchers.
SHOPS_WITH_VOUCHERS = 2_000
BATCH_SHOPS = 200
_BILL = (("{value} towards the bill", "{value}代金券"), ("Any table, any day", "不限桌位，不限日期"), 1.0, 15)
#: Theme of a shop -> vouchers: (titles, subtitles, value as a multiple of the shop's price, discount in per
#: cent, what their picture shows).
OFFERS = {
    "food": (
        (*_BILL, Motif(dishes.feast, CREAM)),
        (("Lunch for one", "单人午餐"), ("Weekdays", "周一至周五可用"),
         0.8, 25, Motif(dishes.feast, WINE)),
        (("Dinner for two", "双人晚餐"), ("Eight dishes to choose from", "八道菜任选"),
         2.2, 22, Motif(dishes.feast, LEAF)),
    ),
    "noodles": (
        (*_BILL, Motif(dishes.noodles, CREAM)),
        (("A bowl and a soft egg", "一碗面加溏心蛋"), ("Weekdays", "周一至周五可用"),
         0.8, 25, Motif(dishes.noodles, LAKE)),
        (("Noodles for two", "双人面套餐"), ("Two bowls, two cold dishes", "两碗面配两碟凉菜"),
         2.2, 22, Motif(dishes.noodles, PERSIMMON)),
    ),
    "congee": (
        (*_BILL, Motif(named_things.rice_bowl, CREAM)),
        (("Breakfast congee", "早餐粥套餐"), ("With fried dough", "配油条"),
         0.8, 25, Motif(named_things.rice_bowl, LEAF)),
        (("Congee for the table", "四人粥锅"), ("Three sides to choose", "小菜任选三样"),
         2.2, 22, Motif(named_things.rice_bowl, LAKE)),
    ),
    "dumplings": (
        (*_BILL, Motif(dishes.dumplings, NIGHT)),
        (("Two steamers", "两笼小笼包"), ("Pork or mushroom", "鲜肉或香菇"),
         0.8, 25, Motif(dishes.dumplings, PERSIMMON)),
        (("Dumplings for two", "双人饺子宴"), ("Forty, in three kinds", "三种馅共四十只"),
         2.2, 22, Motif(dishes.dumplings, LEAF)),
    ),
    "hot_pot": (
        (*_BILL, Motif(dishes.hot_pot, WOOD)),
        (("Pot for one", "单人小火锅"), ("Weekdays", "周一至周五可用"),
         0.8, 25, Motif(dishes.hot_pot, NIGHT)),
        (("Two broths for two", "双人鸳鸯锅"), ("Beef and greens included", "含肥牛和时蔬"),
         2.2, 22, Motif(dishes.hot_pot, LEAF)),
    ),
    "tea": (
        (*_BILL, Motif(drinks.tea, ROSE)),
        (("A pot of Longjing", "一壶龙井"), ("Refilled as long as you stay", "不限时续水"),
         0.8, 25, Motif(drinks.tea, LEAF)),
        (("Afternoon tea for two", "双人下午茶"), ("Four small plates", "配四样茶点"),
         2.2, 22, Motif(drinks.tea, CREAM)),
    ),
    "fish": (
        (*_BILL, Motif(dishes.fish, LAKE)),
        (("Steamed fish of the day", "今日清蒸鱼"), ("Ginger and soy", "姜葱酱油"),
         0.8, 25, Motif(dishes.fish, WINE)),
        (("Seafood for two", "双人海鲜餐"), ("From the tank, by weight", "鲜活现称"),
         2.2, 22, Motif(dishes.fish, CREAM)),
    ),
    "duck": (
        (*_BILL, Motif(named_things.roast_duck, LAKE)),
        (("Half a roast duck", "半只烤鸭"), ("Pancakes and sauce included", "含荷叶饼和甜面酱"),
         0.8, 25, Motif(named_things.roast_duck, PERSIMMON)),
        (("A whole duck for two", "双人整只烤鸭"), ("Carved at the table", "现场片鸭"),
         2.2, 22, Motif(named_things.roast_duck, CREAM)),
    ),
    "grill": (
        (*_BILL, Motif(dishes.skewers, WOOD)),
        (("Ten skewers", "十串烤串"), ("Lamb, beef or mixed", "羊肉、牛肉或拼盘"),
         0.8, 25, Motif(dishes.skewers, NIGHT)),
        (("Grill for two", "双人烧烤"), ("Two beers included", "含两瓶啤酒"),
         2.2, 22, Motif(dishes.skewers, PERSIMMON)),
    ),
    "bakery": (
        (*_BILL, Motif(dishes.cakes, ROSE)),
        (("Six small cakes", "六枚小蛋糕"), ("Baked that morning", "当天早上现烤"),
         0.8, 25, Motif(dishes.cakes, WOOD)),
        (("A birthday cake", "生日蛋糕"), ("For six, ordered a day ahead", "六人份，提前一天订"),
         2.2, 22, Motif(dishes.cakes, LAKE)),
    ),
    "ktv": (
        (("Three hours, small room", "小包三小时"), ("Until 18:00", "18:00前可用"),
         1.5, 35, Motif(play.microphone, NIGHT)),
        (("Evening for six", "六人欢唱夜场"), ("Snacks included", "含小吃"),
         5.0, 30, Motif(play.song_room, NIGHT)),
    ),
    "hair": (
        (("Cut and blow-dry", "剪发加吹风"), ("Any stylist but the owner", "店主以外的发型师任选"),
         1.0, 20, Motif(care.scissors, ROSE)),
        (("Colour and care", "染发加护理"), ("Up to shoulder length", "及肩以内"),
         2.5, 28, Motif(care.salon, CREAM)),
    ),
    "massage": (
        (("Sixty minutes", "六十分钟"), ("Neck, back or feet", "肩颈、背部或足部"),
         1.0, 18, Motif(care.foot_bath, WINE)),
        (("Ninety minutes for two", "双人九十分钟"), ("Side by side", "同室并排"),
         2.8, 26, Motif(care.stones, LEAF)),
    ),
    "fitness": (
        (("Day pass", "单日卡"), ("Weights and courses", "器械和团课"),
         0.8, 30, Motif(sport.weights, SKY)),
        (("Ten visits", "十次卡"), ("Valid for half a year", "半年内有效"),
         7.0, 25, Motif(sport.weights, LAKE)),
    ),
    "climbing": (
        (("First climb", "攀岩体验"), ("Shoes and chalk included", "含鞋和镁粉"),
         0.8, 30, Motif(sport.climbing, CREAM)),
        (("Ten climbs", "攀岩十次卡"), ("Valid for half a year", "半年内有效"),
         7.0, 25, Motif(sport.climbing, SKY)),
    ),
    "boxing": (
        (("First round", "拳击体验课"), ("Gloves to borrow", "可借拳套"),
         0.8, 30, Motif(named_things.boxing_gloves, SKY)),
        (("Ten boxing classes", "拳击十次课"), ("Valid for half a year", "半年内有效"),
         7.0, 25, Motif(named_things.boxing_gloves, CREAM)),
    ),
    "yoga": (
        (("One yoga class", "瑜伽单次课"), ("Mat included", "含瑜伽垫"),
         0.8, 30, Motif(named_things.yoga_mat, LEAF)),
        (("Ten yoga classes", "瑜伽十次课"), ("Valid for half a year", "半年内有效"),
         7.0, 25, Motif(named_things.yoga_mat, ROSE)),
    ),
    "pool": (
        (("One swim", "单次游泳"), ("Towel included", "含毛巾"),
         0.8, 30, Motif(sport.pool, SKY)),
        (("Ten swims", "游泳十次卡"), ("Valid for half a year", "半年内有效"),
         7.0, 25, Motif(sport.pool, LEAF)),
    ),
    "badminton": (
        (("An hour of court", "羽毛球场一小时"), ("Rackets to borrow", "可借球拍"),
         0.8, 30, Motif(named_things.badminton, SKY)),
        (("Ten hours of court", "羽毛球场十小时"), ("Valid for half a year", "半年内有效"),
         7.0, 25, Motif(named_things.badminton, LEAF)),
    ),
    "spa": (
        (("Half a day of steam", "汗蒸半日"), ("Towel and tea included", "含毛巾和茶水"),
         1.0, 22, Motif(care.stones, ROSE)),
        (("Hot stones", "热石护理"), ("Seventy minutes", "七十分钟"),
         1.4, 30, Motif(care.stones, LEAF)),
    ),
    "hot_spring": (
        (("Half a day in the water", "温泉半日"), ("Robe and towel included", "含浴袍和毛巾"),
         1.0, 22, Motif(care.hot_spring, NIGHT)),
        (("A private tub for two", "双人私汤"), ("Ninety minutes", "九十分钟"),
         1.4, 30, Motif(care.hot_spring, PERSIMMON)),
    ),
    "skin": (
        (("Skin reading and mask", "皮肤检测加面膜"), ("Forty minutes", "四十分钟"),
         1.0, 22, Motif(care.stones, ROSE)),
        (("Face care", "面部护理"), ("Seventy minutes", "七十分钟"),
         1.4, 30, Motif(care.stones, LEAF)),
    ),
    "kids": (
        (("One child, one grown-up", "一大一小"), ("All day", "全天不限时"),
         1.0, 20, Motif(play.ball_pit, ROSE)),
        (("Birthday table for eight", "八人生日桌"), ("Cake not included", "不含蛋糕"),
         7.0, 15, Motif(play.blocks, PERSIMMON)),
    ),
    "trampoline": (
        (("An hour of jumping", "蹦床一小时"), ("Grippy socks included", "含防滑袜"),
         1.0, 20, Motif(named_things.trampoline, SKY)),
        (("Birthday jump for eight", "八人生日蹦床"), ("Cake not included", "不含蛋糕"),
         7.0, 15, Motif(named_things.trampoline, ROSE)),
    ),
    "books": (
        (("An afternoon of stories", "绘本下午场"), ("One child, one grown-up", "一大一小"),
         1.0, 20, Motif(named_things.books, CREAM)),
        (("Ten story hours", "故事课十次"), ("Valid for half a year", "半年内有效"),
         7.0, 15, Motif(named_things.books, LAKE)),
    ),
    "clay": (
        (("Make a cup", "做一只杯子"), ("Glazing and firing included", "含上釉和烧制"),
         1.0, 20, Motif(named_things.pottery, LEAF)),
        (("Clay morning for eight", "八人陶艺专场"), ("Aprons are there", "提供围裙"),
         7.0, 15, Motif(named_things.pottery, ROSE)),
    ),
    "bar": (
        (("{value} towards drinks", "{value}酒水代金券"), ("Before 21:00", "21:00前可用"),
         1.0, 20, Motif(drinks.cocktail, WINE)),
        (("Tasting flight", "品鉴套装"), ("Five small glasses", "五小杯"),
         1.2, 25, Motif(drinks.shelf, LAKE)),
    ),
    "beer": (
        (("{value} towards beer", "{value}啤酒代金券"), ("Before 21:00", "21:00前可用"),
         1.0, 20, Motif(drinks.beer, CREAM)),
        (("Tasting flight", "精酿品鉴套装"), ("Five small glasses", "五小杯"),
         1.2, 25, Motif(drinks.beer, WOOD)),
    ),
    "party": (
        (("Four hours for eight", "八人四小时"), ("Monday to Thursday", "周一至周四可用"),
         6.0, 30, Motif(play.party, NIGHT)),
        (("Whole night", "通宵场"), ("Until 08:00", "至次日08:00"),
         9.0, 20, Motif(play.song_room, NIGHT)),
    ),
    "games": (
        (("Games for six", "六人桌游"), ("Four hours, tea included", "四小时，含茶水"),
         6.0, 30, Motif(dishes.game_night, SKY)),
        (("Game night", "桌游通宵场"), ("Until 08:00", "至次日08:00"),
         9.0, 20, Motif(dishes.game_night, WOOD)),
    ),
    "escape": (
        (("One room for four", "四人密室一场"), ("Monday to Thursday", "周一至周四可用"),
         6.0, 30, Motif(named_things.keyhole, NIGHT)),
        (("Two rooms for six", "六人密室两场"), ("One after the other", "连玩两场"),
         9.0, 20, Motif(named_things.keyhole, WINE)),
    ),
    "nails": (
        (("One colour", "单色美甲"), ("With care of the hands", "含手部护理"),
         0.8, 25, Motif(care.nails, CREAM)),
        (("Lashes and nails", "美甲加美睫"), ("Two hours", "两小时"),
         2.0, 28, Motif(care.lacquers, NIGHT)),
    ),
}  # fmt: skip
RULES = (
    "One voucher a visit. Tell the shop before you order. Not together with other offers.",
    "每次到店限用一张。请在点单前告知商户。不与其他优惠同享。",
)


def make(shops: int, *, seed: int) -> int:
    """Make vouchers for shops without any, up to shop id `shops`; return how many are new."""
    wanted = Shop.objects.filter(pk__lte=min(shops, SHOPS_WITH_VOUCHERS), vouchers=None)
    offering = [shop for shop in wanted.select_related("type").order_by("pk") if shop.pk % 5 < 3]
    themes = dict.fromkeys(note_texts.theme_of_shop(shop) for shop in offering)
    motifs = list(dict.fromkeys(motif for theme in themes for *_, motif in OFFERS[theme]))
    album.render_all(motifs, lambda _done: None)
    pictures = {motif: _store_picture(motif) for motif in motifs}
    made = 0
    for some in batches.chunked(offering, BATCH_SHOPS):
        vouchers = [one for shop in some for one in _vouchers_of_shop(shop, pictures, seed)]
        made += len(Voucher.objects.bulk_create(vouchers))
    return made


def _store_picture(motif: Motif) -> str:
    """Store a picture in the widths of pages; all vouchers with the motif have it, as copies of a sale do."""
    name = sha256(f"voucher:{motif.paint.__name__}:{motif.mood.top}".encode()).hexdigest()[:32]
    drawn = album.render(motif)
    for width, card in drawn.cards.items():
        own_photos.store_file(files.file_path(FOLDER, f"{name}-{width}"), card)
    path = files.file_path(FOLDER, name)
    own_photos.store_file(path, drawn.large)
    return path


def _vouchers_of_shop(shop: Shop, pictures: Mapping[Motif, str], seed: int) -> Iterator[Voucher]:
    chance = Random(f"{seed}:voucher:{shop.pk}")
    for titles, subtitles, share, discount, motif in OFFERS[note_texts.theme_of_shop(shop)]:
        value = max(1_000, int(shop.price * share) // 500 * 500)
        price = max(500, int(value * (100 - discount + chance.randint(-4, 4)) / 100) // 100 * 100)
        title, title_zh = (text.format(value=f"¥{value // 100}") for text in titles)
        yield Voucher(
            shop=shop,
            title_en=title,
            title_zh=title_zh,
            subtitle_en=subtitles[0],
            subtitle_zh=subtitles[1],
            rules_en=RULES[0],
            rules_zh=RULES[1],
            price=price,
            value=value,
            picture=pictures[motif],
            per_person=PER_PERSON,
        )
