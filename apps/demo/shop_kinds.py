"""The ten types of shops of the demo: names, opening hours, prices and descriptions."""

from dataclasses import dataclass

TextPair = tuple[str, str]


@dataclass(frozen=True)
class ShopKind:
    """A type of shops; `price` is the usual range a person pays, in yuan; `share` its number in 20 shops."""

    slug: str
    name: str
    name_zh: str
    share: int
    price: tuple[int, int]
    hours: tuple[str, ...]
    cores: tuple[TextPair, ...]
    abouts: tuple[str, ...]


KINDS = (
    ShopKind(
        "food", "Food", "美食", 5, (28, 260),
        ("11:00–14:00, 17:00–21:30", "10:30–22:00", "06:30–20:00", "11:00–02:00"),
        (("Noodle House", "面馆"), ("Dumpling Kitchen", "饺子馆"), ("Hot Pot", "火锅"), ("Teahouse", "茶楼"),
         ("Seafood Table", "海鲜坊"), ("Roast Duck", "烤鸭店"), ("Congee Shop", "粥铺"), ("Grill", "烧烤"),
         ("Private Kitchen", "私房菜"), ("Bakery", "烘焙坊")),
        ("Hand-pulled every morning, and gone by nine most evenings.",
        "A short menu that follows the market.",
         "The broth has been on the stove since the shop opened.", "Ask for the table by the window."),
    ),
    ShopKind(
        "ktv", "KTV", "KTV", 1, (68, 220), ("12:00–02:00", "13:00–04:00", "24 hours"),
        (("KTV", "KTV"), ("Karaoke Rooms", "量贩KTV"), ("Singing Club", "欢唱会所"),
         ("Party KTV", "派对KTV")),
        ("Forty rooms, good microphones, no last song.",
        "Small rooms for two, large ones for the whole class."),
    ),
    ShopKind(
        "hair", "Hair", "丽人·美发", 2, (58, 480), ("10:00–21:00", "09:30–20:30", "11:00–22:00"),
        (("Hair Studio", "美发工作室"), ("Barber", "理发店"), ("Salon", "造型沙龙"), ("Colour Bar", "染发吧"),
         ("Scissors", "剪艺")),
        ("A cut, a talk, a cup of tea.", "Colour that grows out well is what they are known for."),
    ),
    ShopKind(
        "massage", "Massage", "按摩·足疗", 2, (98, 380), ("11:00–01:00", "10:00–24:00", "24 hours"),
        (("Foot Massage", "足道"), ("Massage House", "推拿馆"), ("Quiet Hands", "静手按摩"),
         ("Bone & Balance", "正骨堂"), ("Blind Massage", "盲人按摩")),
        ("Strong hands; say so if you like it gentle.", "An hour here undoes a week at a desk."),
    ),
    ShopKind(
        "fitness", "Fitness", "运动健身", 2, (45, 240), ("06:30–22:30", "07:00–23:00", "24 hours"),
        (("Gym", "健身房"), ("Climbing Hall", "攀岩馆"), ("Boxing Club", "拳击馆"), ("Yoga Room", "瑜伽馆"),
         ("Pool", "游泳馆"), ("Badminton Hall", "羽毛球馆")),
        ("Day passes, no contract.", "Trainers who look at your knees before they count your squats."),
    ),
    ShopKind(
        "spa", "Spa", "美容SPA", 1, (188, 880), ("10:00–22:00", "11:00–23:00"),
        (("Spa", "水疗馆"), ("Hot Spring", "温泉汤屋"), ("Skin Care", "美容养肤"), ("Bath House", "汤泉")),
        ("Stone, steam and an hour without a phone.", "Herbs from the hills behind the lake."),
    ),
    ShopKind(
        "kids", "Kids", "亲子游乐", 2, (48, 198), ("09:30–20:30", "10:00–21:00"),
        (("Playhouse", "亲子乐园"), ("Trampoline Park", "蹦床公园"), ("Story Room", "绘本馆"),
         ("Clay Studio", "陶艺坊"), ("Little Gym", "儿童体能馆")),
        ("Socks on, coats off, grown-ups welcome on the slide.", "Quiet corners for the very small."),
    ),
    ShopKind(
        "bar", "Bar", "酒吧", 2, (68, 260), ("18:00–02:00", "17:00–03:00", "19:00–04:00"),
        (("Bar", "酒吧"), ("Taproom", "精酿馆"), ("Whisky Room", "威士忌吧"), ("Jazz Cellar", "爵士酒窖"),
         ("Wine Corner", "葡萄酒角")),
        ("Twelve taps, one long table.", "The house drink has osmanthus in it, and something stronger."),
    ),
    ShopKind(
        "party", "Party Hall", "轰趴馆", 1, (88, 320), ("10:00–02:00", "24 hours"),
        (("Party Hall", "轰趴馆"), ("Board Game House", "桌游馆"), ("Party Villa", "派对别墅"),
         ("Escape Rooms", "密室逃脱")),
        ("Bring the people; the balloons are here.", "Kitchen, billiards, and neighbours far away."),
    ),
    ShopKind(
        "nails", "Nails", "美甲美睫", 2, (88, 360), ("10:00–21:30", "10:30–22:00"),
        (("Nail Studio", "美甲店"), ("Nails & Lashes", "美甲美睫"), ("Nail Bar", "美甲吧"),
         ("Beauty Corner", "美妆角")),
        ("Bring a picture, or trust them.", "Two chairs, so book ahead."),
    ),
)  # fmt: skip
#: The repeating sequence of shop types by shop number: each by its share, mixed so that neighbours differ.
CYCLE = tuple(
    kind for turn in range(max(kind.share for kind in KINDS)) for kind in KINDS if turn < kind.share
)
