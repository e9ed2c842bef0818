"""Texts of the demo's comments on notes, and of the authors' replies, by language."""

_COMMENTS_EN = (
    "Going on Friday, thank you!", "Is it loud in the evening?",
    "That second picture made me hungry.", "Been there since they opened, still good.",
    "How long did you wait?", "Saved for my mother's birthday.", "Do they take groups of ten?",
    "I walk past every day and never went in. Shame on me.", "Best thing in the whole quarter.",
    "Honest note, thank you.", "We went because of you, and it was perfect.",
    "Hm, I had a bad evening there once. Maybe I try again.", "Which one did you order?",
    "That light!", "Is there something without meat?", "Parking?", "You always find these places.",
    "Adding it to the list.", "Is it all right with a small child?",
    "Closed on Mondays, I stood before the door.", "Take me with you.",
    "The owner is the nicest person.", "Looks warm. I need warm.",
    "Now I know where to go on Sunday.",
)  # fmt: skip
_COMMENTS_ZH = (
    "好想去！", "请问要排队吗？", "图二看饿了", "已收藏", "上周刚去过，真的不错", "适合带小朋友吗？",
    "人均多少呀？", "跟着你去准没错", "灯光好舒服", "离地铁近吗？", "这家老板人特别好",
    "下次约上朋友一起", "求老板联系方式", "周一休息，别跑空",
)  # fmt: skip
_REPLIES_EN = (
    "About ten minutes, on a weekday.", "Yes, and they even have a small chair.",
    "Tell me how it was!", "Not before eight.", "The one in the first picture.",
    "Come along next time.", "They do, but call first.", "Same here!",
    "Behind the building, four places.", "Thank you, that's kind.", "Half of the card, yes.",
)  # fmt: skip
_REPLIES_ZH = (
    "平时不用等", "可以的，有儿童椅", "一起呀", "谢谢！", "走路五分钟", "第一张图那个",
    "八点以后不用排队", "下次一起去",
)  # fmt: skip
COMMENTS = {"en": _COMMENTS_EN, "zh-Hans": _COMMENTS_ZH}
REPLIES = {"en": _REPLIES_EN, "zh-Hans": _REPLIES_ZH}
