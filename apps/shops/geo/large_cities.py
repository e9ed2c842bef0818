"""Where large cities lie, so that a manager opens one by its name: about a hundred of the world's."""

from typing import NamedTuple

from apps.accounts import city_names
from apps.web import characters


class LargeCity(NamedTuple):
    """Degrees of the centre, to about a kilometre, and the IANA time zone."""

    name_en: str
    name_zh: str
    lat: float
    lng: float
    time_zone: str


#: {time zone: (English name, latitude, longitude) of the cities whose Chinese names city_names has}.
_CHINA = {
    "Asia/Shanghai": (
        ("Beijing", 39.91, 116.40), ("Shanghai", 31.23, 121.47), ("Tianjin", 39.12, 117.20),
        ("Chongqing", 29.56, 106.55), ("Hangzhou", 30.25, 120.16), ("Ningbo", 29.87, 121.55),
        ("Wenzhou", 28.00, 120.67), ("Shaoxing", 30.00, 120.58), ("Jiaxing", 30.75, 120.75),
        ("Nanjing", 32.05, 118.78), ("Suzhou", 31.30, 120.60), ("Wuxi", 31.57, 120.30),
        ("Changzhou", 31.78, 119.95), ("Xuzhou", 34.26, 117.19), ("Guangzhou", 23.13, 113.27),
        ("Shenzhen", 22.54, 114.06), ("Dongguan", 23.02, 113.75), ("Foshan", 23.02, 113.12),
        ("Zhuhai", 22.27, 113.57), ("Chengdu", 30.66, 104.06), ("Wuhan", 30.59, 114.30),
        ("Changsha", 28.20, 112.97), ("Xi'an", 34.26, 108.94), ("Zhengzhou", 34.75, 113.65),
        ("Jinan", 36.67, 117.00), ("Qingdao", 36.07, 120.38), ("Hefei", 31.86, 117.28),
        ("Fuzhou", 26.08, 119.30), ("Xiamen", 24.48, 118.09), ("Nanchang", 28.68, 115.89),
        ("Kunming", 25.04, 102.72), ("Guiyang", 26.65, 106.63), ("Nanning", 22.82, 108.32),
        ("Haikou", 20.04, 110.34), ("Sanya", 18.25, 109.51), ("Shenyang", 41.80, 123.43),
        ("Dalian", 38.91, 121.61), ("Harbin", 45.76, 126.65), ("Changchun", 43.88, 125.32),
        ("Shijiazhuang", 38.04, 114.51), ("Taiyuan", 37.87, 112.55), ("Lanzhou", 36.06, 103.83),
        ("Urumqi", 43.80, 87.60),
    ),
    "Asia/Hong_Kong": (("Hong Kong", 22.28, 114.16),),
    "Asia/Macau": (("Macau", 22.20, 113.54),),
    "Asia/Taipei": (("Taipei", 25.04, 121.56),),
}  # fmt: skip
_ABROAD = (
    LargeCity("Tokyo", "东京", 35.68, 139.76, "Asia/Tokyo"),
    LargeCity("Osaka", "大阪", 34.69, 135.50, "Asia/Tokyo"),
    LargeCity("Kyoto", "京都", 35.01, 135.77, "Asia/Tokyo"),
    LargeCity("Seoul", "首尔", 37.57, 126.98, "Asia/Seoul"),
    LargeCity("Busan", "釜山", 35.18, 129.08, "Asia/Seoul"),
    LargeCity("Singapore", "新加坡", 1.29, 103.85, "Asia/Singapore"),
    LargeCity("Kuala Lumpur", "吉隆坡", 3.15, 101.69, "Asia/Kuala_Lumpur"),
    LargeCity("Bangkok", "曼谷", 13.75, 100.50, "Asia/Bangkok"),
    LargeCity("Jakarta", "雅加达", -6.20, 106.82, "Asia/Jakarta"),
    LargeCity("Manila", "马尼拉", 14.59, 120.98, "Asia/Manila"),
    LargeCity("Hanoi", "河内", 21.03, 105.85, "Asia/Bangkok"),
    LargeCity("Ho Chi Minh City", "胡志明市", 10.78, 106.70, "Asia/Ho_Chi_Minh"),
    LargeCity("Delhi", "德里", 28.64, 77.22, "Asia/Kolkata"),
    LargeCity("Mumbai", "孟买", 18.96, 72.83, "Asia/Kolkata"),
    LargeCity("Dubai", "迪拜", 25.20, 55.27, "Asia/Dubai"),
    LargeCity("Istanbul", "伊斯坦布尔", 41.01, 28.97, "Europe/Istanbul"),
    LargeCity("Cairo", "开罗", 30.04, 31.24, "Africa/Cairo"),
    LargeCity("Lagos", "拉各斯", 6.45, 3.39, "Africa/Lagos"),
    LargeCity("Nairobi", "内罗毕", -1.29, 36.82, "Africa/Nairobi"),
    LargeCity("Johannesburg", "约翰内斯堡", -26.20, 28.05, "Africa/Johannesburg"),
    LargeCity("Moscow", "莫斯科", 55.75, 37.62, "Europe/Moscow"),
    LargeCity("London", "伦敦", 51.51, -0.13, "Europe/London"),
    LargeCity("Manchester", "曼彻斯特", 53.48, -2.24, "Europe/London"),
    LargeCity("Dublin", "都柏林", 53.35, -6.26, "Europe/Dublin"),
    LargeCity("Paris", "巴黎", 48.86, 2.35, "Europe/Paris"),
    LargeCity("Lyon", "里昂", 45.76, 4.84, "Europe/Paris"),
    LargeCity("Brussels", "布鲁塞尔", 50.85, 4.35, "Europe/Brussels"),
    LargeCity("Amsterdam", "阿姆斯特丹", 52.37, 4.90, "Europe/Amsterdam"),
    LargeCity("Berlin", "柏林", 52.52, 13.40, "Europe/Berlin"),
    LargeCity("Hamburg", "汉堡", 53.55, 9.99, "Europe/Berlin"),
    LargeCity("Munich", "慕尼黑", 48.14, 11.58, "Europe/Berlin"),
    LargeCity("Zurich", "苏黎世", 47.37, 8.54, "Europe/Zurich"),
    LargeCity("Vienna", "维也纳", 48.21, 16.37, "Europe/Vienna"),
    LargeCity("Prague", "布拉格", 50.09, 14.42, "Europe/Prague"),
    LargeCity("Warsaw", "华沙", 52.23, 21.01, "Europe/Warsaw"),
    LargeCity("Budapest", "布达佩斯", 47.50, 19.04, "Europe/Budapest"),
    LargeCity("Copenhagen", "哥本哈根", 55.68, 12.57, "Europe/Copenhagen"),
    LargeCity("Stockholm", "斯德哥尔摩", 59.33, 18.07, "Europe/Stockholm"),
    LargeCity("Oslo", "奥斯陆", 59.91, 10.75, "Europe/Oslo"),
    LargeCity("Helsinki", "赫尔辛基", 60.17, 24.94, "Europe/Helsinki"),
    LargeCity("Madrid", "马德里", 40.42, -3.70, "Europe/Madrid"),
    LargeCity("Barcelona", "巴塞罗那", 41.39, 2.17, "Europe/Madrid"),
    LargeCity("Lisbon", "里斯本", 38.72, -9.14, "Europe/Lisbon"),
    LargeCity("Rome", "罗马", 41.90, 12.50, "Europe/Rome"),
    LargeCity("Milan", "米兰", 45.46, 9.19, "Europe/Rome"),
    LargeCity("Athens", "雅典", 37.98, 23.73, "Europe/Athens"),
    LargeCity("New York", "纽约", 40.74, -73.99, "America/New_York"),
    LargeCity("Boston", "波士顿", 42.36, -71.06, "America/New_York"),
    LargeCity("Washington", "华盛顿", 38.90, -77.04, "America/New_York"),
    LargeCity("Miami", "迈阿密", 25.77, -80.19, "America/New_York"),
    LargeCity("Toronto", "多伦多", 43.65, -79.38, "America/Toronto"),
    LargeCity("Montreal", "蒙特利尔", 45.50, -73.57, "America/Toronto"),
    LargeCity("Chicago", "芝加哥", 41.88, -87.63, "America/Chicago"),
    LargeCity("Houston", "休斯敦", 29.76, -95.37, "America/Chicago"),
    LargeCity("Los Angeles", "洛杉矶", 34.05, -118.25, "America/Los_Angeles"),
    LargeCity("San Francisco", "旧金山", 37.77, -122.42, "America/Los_Angeles"),
    LargeCity("Seattle", "西雅图", 47.61, -122.33, "America/Los_Angeles"),
    LargeCity("Vancouver", "温哥华", 49.28, -123.12, "America/Vancouver"),
    LargeCity("Mexico City", "墨西哥城", 19.43, -99.13, "America/Mexico_City"),
    LargeCity("Lima", "利马", -12.05, -77.04, "America/Lima"),
    LargeCity("Santiago", "圣地亚哥", -33.44, -70.65, "America/Santiago"),
    LargeCity("Buenos Aires", "布宜诺斯艾利斯", -34.60, -58.38, "America/Argentina/Buenos_Aires"),
    LargeCity("Rio de Janeiro", "里约热内卢", -22.91, -43.18, "America/Sao_Paulo"),
    LargeCity("Sao Paulo", "圣保罗", -23.55, -46.63, "America/Sao_Paulo"),
    LargeCity("Sydney", "悉尼", -33.87, 151.21, "Australia/Sydney"),
    LargeCity("Melbourne", "墨尔本", -37.81, 144.96, "Australia/Melbourne"),
    LargeCity("Brisbane", "布里斯班", -27.47, 153.03, "Australia/Brisbane"),
    LargeCity("Perth", "珀斯", -31.95, 115.86, "Australia/Perth"),
    LargeCity("Auckland", "奥克兰", -36.85, 174.76, "Pacific/Auckland"),
)
ALL = (
    *(
        LargeCity(name, city_names.CHINESE_NAMES[name], lat, lng, zone)
        for zone, rows in _CHINA.items()
        for name, lat, lng in rows
    ),
    *_ABROAD,
)
_BY_NAME = {
    characters.fold(name): city for city in ALL for name in (city.name_en, city.name_zh, f"{city.name_zh}市")
}


def find(name: str) -> LargeCity | None:
    """The city of a name in either language, or None."""
    return _BY_NAME.get(characters.fold(name.strip()))
