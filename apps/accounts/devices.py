"""Browser and system names out of a User-Agent, for the list of a user's log-ins."""

# The first hit wins: Edge also says Chrome, and Chrome also says Safari.
PROGRAMS = {
    "MicroMessenger": "WeChat",
    "Edg": "Edge",
    "OPR": "Opera",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "CriOS": "Chrome",
    "Chrome": "Chrome",
    "Safari": "Safari",
    "curl": "curl",
    "python": "Python",
}
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS": "Mac",
    "Linux": "Linux",
}
HANDHELD = {"iPhone", "iPad", "Android"}


def describe(user_agent: str) -> str:
    """ "Chrome · Android", or "" when neither is recognised."""
    return " · ".join(filter(None, (_first_match(PROGRAMS, user_agent), system_name(user_agent))))


def system_name(user_agent: str) -> str:
    return _first_match(SYSTEMS, user_agent)


def _first_match(names: dict[str, str], user_agent: str) -> str:
    return next((name for mark, name in names.items() if mark in user_agent), "")
