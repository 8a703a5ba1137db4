"""A figure keeps its value in the notations that people use, and its unit and bound with it."""

import pytest

from knowledge.validation.facts import find_uncovered

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        # An age is a number of years, with the unit or without.
        ("Riders who are not yet fourteen need a helmet.", "未满十四周岁的骑手须戴头盔。"),
        ("还没到十八的不能租车。", "Renters must be at least 18 years old."),
        ("You have to be twenty-one or older to rent a boat.", "租船人须年满21周岁。"),
        ("不满12岁的孩子半价。", "Children under the age of 12 pay half."),
        ("Ten-year-olds travel free.", "Children under the age of 12 travel free."),
        ("The pool is closed to anybody who has not turned sixteen yet.", "Nobody under 16 may use the pool."),
        # Parts of a unit, and what stands between a number and its unit.
        ("The driver waits a quarter of an hour.", "The driver waits 15 minutes."),
        ("They hold the table for three quarters of an hour.", "They hold the table for 45 minutes."),
        ("Absence for ten or more days leads to a warning.", "缺勤十天及以上的，予以警告。"),
        (
            "If the lift stands still on five days of a month, we pay.",
            "We pay if it stands still for five or more days.",
        ),
        ("Half a dozen tickets at most.", "No more than 6 tickets."),
        ("The lease runs for another year.", "The lease runs for a full year."),
        ("Triple pay on public holidays.", "法定节假日支付三倍工资。"),
        ("账本要存五个年头。", "账本应当保存5年。"),
        ("头一个月退会，会费全退。", "第1个月退会的，全额退还会费。"),
        ("A third off.", "33% off"),
        # Limits in other words.
        ("最多等二十分钟就能看到。", "页面刷新可能需要长达20分钟。"),
        ("Delivery is free within five kilometres.", "门店5公里范围内免运费。"),
        ("三个以上的摊位要先报名。", "Three or more stalls have to be registered first."),
        ("超过5kg的寄不了。", "The maximum is 5 kg."),
        ("账本要存满三年。", "账本应当保存3年。"),
        ("三年里都得把账本留着。", "账本保存不少于三年。"),
        ("The file is wiped at least 30 days later.", "The file is wiped after 30 to 90 days."),
        ("干不满一年的不能报名。", "工作满一年后可以报名。"),
        ("只要有三成住户同意就能开会。", "经30%以上住户同意，可以召开会议。"),
        # More than the only one is denied.
        ("Two cars can't be parked in one bay.", "Only one car may be parked in each bay."),
        ("You can't hold a second licence.", "A person may hold only one licence."),
        ("第二张卡是办不了的。", "每人仅限办理一张卡。"),
        ("You can't wear both badges at once.", "Only one badge may be worn at a time."),
        # Nothing and all of it are said in words as well.
        ("The fee is $0.", "There is no fee."),
        ("100% of the deposit comes back.", "The deposit is returned in full."),
        ("押金百分之百退还。", "押金全额退还。"),
        # No figures at all.
        ("Two-factor sign-in has to be on.", "2FA has to be on."),
        ("得先开两步验证。", "须启用双重验证。"),
        ("给您换一块新主板。", "更换新主板。"),
        ("这一点不影响保修。", "上述情况不影响保修。"),
        ("几百块的东西也按一千算。", "不足一千元的，按一千元计算。"),
        # Midnight ends a day as well as it begins one.
        ("The yard is open from 6 a.m. to midnight.", "堆场开放时间为6时至24时。"),
        ("The yard is open between six in the morning and midnight.", "堆场每日6时至24时开放。"),
        ("Beyond 200 kilos you pay.", "Up to 200 kg is free. Quantities above this are charged."),
    ],
)
def test_the_same_figure_follows(claim: str, quote: str) -> None:
    assert not list(find_uncovered(claim, (quote,)))


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The locker stays open for a quarter of an hour.", "The locker stays open for 25 minutes."),
        ("You get half of what you paid.", "You get a full refund."),
        ("A notice goes up a fortnight ahead.", "应当提前三十日公告。"),
        ("We clear it out a week later.", "We clear it out 30 days later."),
        ("不满十四岁的不能骑。", "Nobody under the age of 16 may ride."),
        ("Two cars can be parked in one bay.", "Only one car may be parked in each bay."),
        ("只要有一成住户同意就能开会。", "经30%以上住户同意，可以召开会议。"),
        ("账本要存满两年。", "账本应当保存3年。"),
        ("账本要存满三年。", "账本保存不超过三年。"),
        ("100% of the deposit comes back.", "Half of the deposit is returned."),
        ("The fee is $0.", "The fee is $5."),
        ("Triple pay.", "支付两倍工资。"),
        ("最多等十分钟。", "至少需要10分钟。"),
        ("三百米范围内不得经营。", "五百米范围内不得经营。"),
        ("The yard is open until 11 p.m.", "堆场每日6时至24时开放。"),
        ("押金两百块。", "押金300元。"),
        ("下午一点开门。", "14:00开门。"),
    ],
)
def test_another_figure_does_not_follow(claim: str, quote: str) -> None:
    assert list(find_uncovered(claim, (quote,)))
