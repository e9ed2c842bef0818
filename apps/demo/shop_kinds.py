"""What the demo's shops of each type are called, when they are open, what they cost and say."""

from dataclasses import dataclass

from apps.demo.places import TextPair


@dataclass(frozen=True)
class ShopKind:
    """A type of shops; `price` is the usual range a person pays, in yuan; `share` its number in 20 shops."""

    slug: str
    share: int
    price: tuple[int, int]
    hours: tuple[str, ...]
    cores: tuple[TextPair, ...]
    abouts: tuple[TextPair, ...]

    def abouts_of(self, core: str) -> tuple[TextPair, ...]:
        """What shops with this word in their English name may say of themselves."""
        return self.abouts + ABOUTS_BY_CORE.get(core, ())


#: What only shops of this English name say of themselves.
ABOUTS_BY_CORE: dict[str, tuple[TextPair, ...]] = {
    "Noodle House": (
        (
            "Hand-pulled every morning, and gone by nine most evenings.",
            "每天早上手工现拉，晚上九点前基本卖完。",
        ),
        ("The broth has been on the stove since the shop opened.", "这锅汤从开店那天起就没离过火。"),
    ),
    "Dumpling Kitchen": (("Folded by hand, sold by the steamer.", "手工现包，论笼卖。"),),
    "Hot Pot": (
        ("The broth has been on the stove since the shop opened.", "这锅汤从开店那天起就没离过火。"),
    ),
    "Teahouse": (("A pot, a window, an afternoon.", "一壶茶，一扇窗，一个下午。"),),
    "Seafood Table": (("From the tank to the table in twelve minutes.", "从鱼缸到餐桌，十二分钟。"),),
    "Roast Duck": (("Hung overnight, roasted over fruit wood.", "隔夜风干，果木现烤。"),),
    "Congee Shop": (("Four hours on a small flame.", "小火熬足四个小时。"),),
    "Grill": (("Charcoal, cumin, open late.", "炭火，孜然，开到很晚。"),),
    "Bakery": (("Two batches a day: at seven, and at four.", "一天两炉：早上七点，下午四点。"),),
    "Gym": (("Trainers who look at your knees before they count your squats.", "教练先看膝盖，再数深蹲。"),),
    "Climbing Hall": (("New routes every other week.", "每两周换一次线路。"),),
    "Pool": (("Six lanes, 27 degrees.", "六条泳道，水温二十七度。"),),
    "Hot Spring": (("Water from eight hundred metres below.", "泉水来自地下八百米。"),),
    "Playhouse": (
        ("Socks on, coats off, grown-ups welcome on the slide.", "穿好袜子脱外套，大人也能玩滑梯。"),
    ),
    "Clay Studio": (("Fired on Thursdays, yours a week later.", "周四开窑，一周后来取。"),),
    "Taproom": (("Twelve taps, one long table.", "十二个酒头，一张长桌。"),),
    "Party Villa": (("Kitchen, billiards, and neighbours far away.", "有厨房有台球，离邻居还远。"),),
    "Party Hall": (("Bring the people; the balloons are here.", "人来就行，气球都备好了。"),),
}
KINDS = (
    ShopKind(
        "food", 5, (28, 260),
        ("11:00–14:00, 17:00–21:30", "10:30–22:00", "06:30–20:00", "11:00–02:00"),
        (("Noodle House", "面馆"), ("Dumpling Kitchen", "饺子馆"), ("Hot Pot", "火锅"), ("Teahouse", "茶楼"),
         ("Seafood Table", "海鲜坊"), ("Roast Duck", "烤鸭店"), ("Congee Shop", "粥铺"), ("Grill", "烧烤"),
         ("Private Kitchen", "私房菜"), ("Bakery", "烘焙坊")),
        (("A short menu that follows the market.",
         "菜单很短，跟着菜市场走。"),
         ("Ask for the table by the window.",
         "记得要靠窗的那张桌子。")),
    ),
    ShopKind(
        "ktv", 1, (68, 220), ("12:00–02:00", "13:00–04:00", "24 hours"),
        (("KTV", "KTV"), ("Karaoke Rooms", "量贩KTV"), ("Singing Club", "欢唱会所"),
         ("Party KTV", "派对KTV")),
        (("Forty rooms, good microphones, no last song.",
         "四十间包房，麦克风好用，唱到尽兴。"),
        ("Small rooms for two, large ones for the whole class.",
         "小包适合两个人，大包坐得下全班同学。")),
    ),
    ShopKind(
        "hair", 2, (58, 480), ("10:00–21:00", "09:30–20:30", "11:00–22:00"),
        (("Hair Studio", "美发工作室"), ("Barber", "理发店"), ("Salon", "造型沙龙"), ("Colour Bar", "染发吧"),
         ("Scissors", "剪艺")),
        (("A cut, a talk, a cup of tea.",
         "剪个头，聊聊天，喝杯茶。"), ("Colour that grows out well is what they are known for.",
         "染发长出来也好看，是这家的招牌。")),
    ),
    ShopKind(
        "massage", 2, (98, 380), ("11:00–01:00", "10:00–24:00", "24 hours"),
        (("Foot Massage", "足道"), ("Massage House", "推拿馆"), ("Quiet Hands", "静手按摩"),
         ("Bone & Balance", "正骨堂"), ("Blind Massage", "盲人按摩")),
        (("Strong hands; say so if you like it gentle.",
         "手劲足，怕疼提前说。"), ("An hour here undoes a week at a desk.",
         "一小时，抵得过伏案一星期。")),
    ),
    ShopKind(
        "fitness", 2, (45, 240), ("06:30–22:30", "07:00–23:00", "24 hours"),
        (("Gym", "健身房"), ("Climbing Hall", "攀岩馆"), ("Boxing Club", "拳击馆"), ("Yoga Room", "瑜伽馆"),
         ("Pool", "游泳馆"), ("Badminton Hall", "羽毛球馆")),
        (("Day passes, no contract.",
         "可买单日卡，不用办年卡。"), ("Early mornings are the quiet ones.",
         "清早人最少。")),
    ),
    ShopKind(
        "spa", 1, (188, 880), ("10:00–22:00", "11:00–23:00"),
        (("Spa", "水疗馆"), ("Hot Spring", "温泉汤屋"), ("Skin Care", "美容养肤"), ("Bath House", "汤泉")),
        (("Stone, steam and an hour without a phone.",
         "石板、蒸汽，和没有手机的一小时。"), ("Herbs from the hills behind the lake.",
         "草药采自湖后的山里。")),
    ),
    ShopKind(
        "kids", 2, (48, 198), ("09:30–20:30", "10:00–21:00"),
        (("Playhouse", "亲子乐园"), ("Trampoline Park", "蹦床公园"), ("Story Room", "绘本馆"),
         ("Clay Studio", "陶艺坊"), ("Little Gym", "儿童体能馆")),
        (("Grown-ups may stay, or have a coffee next door.",
         "大人可以陪着，也可以去隔壁喝杯咖啡。"), ("Quiet corners for the very small.",
         "给小宝宝留了安静的角落。")),
    ),
    ShopKind(
        "bar", 2, (68, 260), ("18:00–02:00", "17:00–03:00", "19:00–04:00"),
        (("Bar", "酒吧"), ("Taproom", "精酿馆"), ("Whisky Room", "威士忌吧"), ("Jazz Cellar", "爵士酒窖"),
         ("Wine Corner", "葡萄酒角")),
        (("Low light, and nobody in a hurry.",
         "灯光不亮，谁也不急。"), ("The house drink has osmanthus in it, and something stronger.",
         "招牌酒里有桂花，还有更烈的东西。")),
    ),
    ShopKind(
        "party", 1, (88, 320), ("10:00–02:00", "24 hours"),
        (("Party Hall", "轰趴馆"), ("Board Game House", "桌游馆"), ("Party Villa", "派对别墅"),
         ("Escape Rooms", "密室逃脱")),
        (("Bring the people; the rest is here.",
         "人来就行，别的都备好了。"), ("Open when the others have gone home.",
         "别家打烊了，这里还亮着灯。")),
    ),
    ShopKind(
        "nails", 2, (88, 360), ("10:00–21:30", "10:30–22:00"),
        (("Nail Studio", "美甲店"), ("Nails & Lashes", "美甲美睫"), ("Nail Bar", "美甲吧"),
         ("Beauty Corner", "美妆角")),
        (("Bring a picture, or trust them.",
         "带张图来，或者交给她们。"), ("Two chairs, so book ahead.",
         "只有两个位子，请提前预约。")),
    ),
)  # fmt: skip
#: The repeating sequence of shop types by shop number: each by its share, mixed so that neighbours differ.
CYCLE = tuple(
    kind for turn in range(max(kind.share for kind in KINDS)) for kind in KINDS if turn < kind.share
)
