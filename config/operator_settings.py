"""Who runs the site: what the imprint says; without a name the page says that it is not filled in."""

from config.environment import env

OPERATOR_NAME = env.str("OPERATOR_NAME", default="")
#: Lines, which the variable separates by "|".
OPERATOR_ADDRESS = env.str("OPERATOR_ADDRESS", default="").split("|")
OPERATOR_EMAIL = env.str("OPERATOR_EMAIL", default="") or next(iter(env.list("ADMINS", default=[])), "")
OPERATOR_PHONE = env.str("OPERATOR_PHONE", default="")
#: In China: the number of the registration (ICP).
OPERATOR_REGISTRATION = env.str("OPERATOR_REGISTRATION", default="")
