"""Factories of the rows that tests need (factory_boy); a test names only what it is about.

`UserFactory.create(city="Hangzhou")` writes a row and those that it points to, `bulk_create(1_200)` many by
one statement, `build()` none. No factory writes to Redis: a maker or a fixture calls the verb that does.
"""

import factory.random

from tests.factories.ads import (
    AdDailyCountFactory,
    AdFactory,
    AdvertiserFactory,
    CampaignFactory,
    ChargeFactory,
)
from tests.factories.coupons import (
    FlashSaleFactory,
    PaymentFactory,
    ReconciliationFactory,
    RedemptionFactory,
    ReminderFactory,
    SandboxChargeFactory,
    VoucherFactory,
    VoucherOrderFactory,
)
from tests.factories.imports import ImportFactory
from tests.factories.messages import (
    BroadcastFactory,
    ChatFactory,
    ChatOpeningFactory,
    MemberFactory,
    MessageFactory,
    NotificationFactory,
    OutgoingMessageFactory,
    PictureFactory,
    PreferencesFactory,
    PushSubscriptionFactory,
)
from tests.factories.moderation import CaseFactory, DecisionFactory, ReportFactory
from tests.factories.notes import CommentFactory, LikeFactory, NoteFactory, PhotoFactory
from tests.factories.people import (
    AccessTokenFactory,
    AccountDailyCountFactory,
    AccountDeletionFactory,
    FollowFactory,
    PointEntryFactory,
    SignInMonthFactory,
    UserFactory,
)
from tests.factories.shops import (
    CityFactory,
    DailyVisitsFactory,
    RankFactory,
    SaveFactory,
    SaveListFactory,
    ShopFactory,
    ShopMemberFactory,
    ShopTypeFactory,
)
from tests.factories.words import BlockedWordFactory, StopWordFactory, SynonymGroupFactory

__all__ = [
    "AccessTokenFactory",
    "AccountDailyCountFactory",
    "AccountDeletionFactory",
    "AdDailyCountFactory",
    "AdFactory",
    "AdvertiserFactory",
    "BlockedWordFactory",
    "BroadcastFactory",
    "CampaignFactory",
    "CaseFactory",
    "ChargeFactory",
    "ChatFactory",
    "CityFactory",
    "ChatOpeningFactory",
    "CommentFactory",
    "DailyVisitsFactory",
    "DecisionFactory",
    "FlashSaleFactory",
    "ImportFactory",
    "FollowFactory",
    "LikeFactory",
    "MemberFactory",
    "MessageFactory",
    "NoteFactory",
    "NotificationFactory",
    "OutgoingMessageFactory",
    "PaymentFactory",
    "PhotoFactory",
    "PictureFactory",
    "PointEntryFactory",
    "PreferencesFactory",
    "PushSubscriptionFactory",
    "RankFactory",
    "ReconciliationFactory",
    "RedemptionFactory",
    "ReminderFactory",
    "ReportFactory",
    "SandboxChargeFactory",
    "SaveFactory",
    "SaveListFactory",
    "ShopFactory",
    "ShopMemberFactory",
    "ShopTypeFactory",
    "SignInMonthFactory",
    "StopWordFactory",
    "SynonymGroupFactory",
    "UserFactory",
    "VoucherFactory",
    "VoucherOrderFactory",
]

# Sequences, not chance, make fields unique; whatever is drawn at random is the same in each run of a worker.
factory.random.reseed_random("savor")
