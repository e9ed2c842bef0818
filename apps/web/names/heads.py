"""Surnames and places that are read otherwise than their characters are elsewhere, with numbers of tones.

Only what the dictionary of pypinyin reads otherwise: 重庆, 厦门, 六安 and 尉迟 it has as they are.

Source: 现代汉语词典 (7th edition), the readings that it marks as 姓 (surname) and as 地名 (name of a place).
"""

SURNAMES = {
    "曾": "zeng1", "单": "shan4", "解": "xie4", "仇": "qiu2", "区": "ou1", "查": "zha1", "朴": "piao2",
    "盖": "ge3", "缪": "miao4", "乐": "yue4", "翟": "zhai2", "覃": "qin2", "员": "yun4", "种": "chong2",
    "折": "she2", "秘": "bi4", "黑": "he4", "召": "shao4", "祭": "zhai4", "牟": "mou4", "薄": "bo2",
    "卜": "bu3", "藏": "zang1", "隗": "wei3", "郇": "xun2", "繁": "po2", "佴": "nai4", "燕": "yan1",
    "乜": "nie4", "句": "gou1", "重": "chong2", "能": "nai4", "宁": "ning4", "华": "hua4", "纪": "ji3",
    "洗": "xian3", "番": "pan1", "哈": "ha3", "那": "na1",
}  # fmt: skip
PLACES = {
    "朝阳": "chao2 yang2", "洪洞": "hong2 tong2", "单县": "shan4 xian4", "什刹海": "shi2 cha4 hai3",
    "大栅栏": "da4 shi2 lan4", "长治": "chang2 zhi4", "会稽": "kuai4 ji1", "涡阳": "guo1 yang2",
    "荥经": "ying2 jing1", "太行": "tai4 hang2", "燕郊": "yan1 jiao1", "浚县": "xun4 xian4",
    "宕昌": "tan4 chang1", "郫都": "pi2 du1", "筠连": "jun1 lian2", "任县": "ren2 xian4",
    "解州": "xie4 zhou1", "华县": "hua4 xian4", "华阴": "hua4 yin1", "朝歌": "zhao1 ge1",
}  # fmt: skip
#: What follows a surname in the name of a shop or of a person: 曾记, 单家, 解氏, 仇老板.
BEHIND_SURNAMES = frozenset("记家氏府姓老大小阿师公婆嫂哥姐叔伯妈爷娘仔妹弟先女太")
#: What stands before one: 老曾, 小单, 阿解.
BEFORE_SURNAMES = frozenset("老小阿大")
#: Surnames that begin few other words, so that 曾国藩 is a person.
SELDOM_ELSE = frozenset("曾仇朴缪翟覃牟隗郇佴乜")
