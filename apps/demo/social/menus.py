"""The dishes and drinks that the demo's notes recommend, by the theme of a shop's notes."""

from random import Random

from apps.blog.models import MAX_DISHES

MENUS: dict[str, tuple[str, ...]] = {
    "food": (
        "West Lake fish 西湖醋鱼", "Dongpo pork 东坡肉", "Beggar's chicken 叫花鸡", "Cold cucumber 拍黄瓜",
        "Bamboo shoots 油焖笋", "Osmanthus rice 桂花糯米藕",
    ),
    "noodles": (
        "Beef noodles 牛肉面", "Scallion noodles 葱油面", "Pian'er chuan 片儿川", "Smoked fish 熏鱼",
        "Soft egg 溏心蛋",
    ),
    "congee": (
        "Rice congee 白粥", "Pork and egg congee 皮蛋瘦肉粥", "Fried dough 油条", "Salted egg 咸蛋",
        "Pickled radish 酱萝卜",
    ),
    "duck": (
        "Roast duck 烤鸭", "Duck soup 鸭架汤", "Spring pancakes 荷叶饼", "Cold cucumber 拍黄瓜",
    ),
    "dumplings": (
        "Soup dumplings 小笼包", "Chive dumplings 韭菜饺子", "Pan-fried buns 生煎", "Wontons 馄饨",
        "Vinegar peanuts 醋泡花生",
    ),
    "hot_pot": (
        "Red pot 红锅", "Mushroom pot 菌汤锅", "Sliced beef 肥牛", "Shrimp paste 虾滑", "Lotus root 藕片",
        "Brown sugar cake 红糖糍粑",
    ),
    "tea": (
        "Longjing tea 龙井茶", "Osmanthus cake 桂花糕", "Sunflower seeds 瓜子", "Chrysanthemum tea 菊花茶",
        "Sesame balls 芝麻球",
    ),
    "fish": (
        "Steamed fish 清蒸鱼", "Garlic prawns 蒜蓉虾", "Razor clams 蛏子", "Crab with ginger 姜葱蟹",
        "Fish soup 鱼汤",
    ),
    "grill": (
        "Lamb skewers 羊肉串", "Grilled aubergine 烤茄子", "Chicken wings 烤翅", "Oysters 烤生蚝",
        "Corn 烤玉米",
    ),
    "bakery": (
        "Egg tart 蛋挞", "Lemon cake 柠檬蛋糕", "Salted roll 海盐卷", "Latte 拿铁", "Milk bread 牛奶吐司",
    ),
    "bar": (
        "Smoky sour 烟熏酸酒", "Osmanthus highball 桂花嗨棒", "Negroni 尼格罗尼", "Olives 橄榄",
        "Half pour 半杯",
    ),
    "beer": (
        "Pale ale 淡色艾尔", "Stout 世涛", "Fried peanuts 油炸花生", "Wheat beer 小麦啤酒", "Fries 薯条",
    ),
}  # fmt: skip


def choose_dishes(theme: str, chance: Random) -> tuple[str, ...]:
    """Up to three dishes of a theme, the first ones most often; none where the theme has no menu."""
    menu = MENUS.get(theme, ())
    wanted = min(len(menu), MAX_DISHES, chance.choice((0, 1, 1, 2, 3)))
    picked = dict.fromkeys(menu[int(len(menu) * chance.random() ** 2)] for _ in range(wanted))
    return tuple(picked)
