"""Counts that a claim makes itself, and cases that it supposes: what follows passes, what only looks alike does not."""

import pytest

from knowledge.validation.anchors import find_other_starts
from knowledge.validation.attachment import find_misattached
from knowledge.validation.crossing import find_crossed
from knowledge.validation.facts import find_uncovered
from knowledge.validation.occasions import find_other_occasions

pytestmark = pytest.mark.unit


def is_covered(claim: str, quote: str) -> bool:
    return not list(find_uncovered(claim, (quote,)))


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("If a caller asks for a manager 3 times, connect them.", "After the third request we connect you."),
        ("If a caller asks for a manager 3 times, connect them.", "要求满三次就转接。"),
        ("累计维修超过4次的，可以换货。", "修到第五次就可以换货。"),
        (
            "You need a passport, a proof of address and a payslip.",
            "Three documents are needed: passport, proof of address, payslip.",
        ),
        ("You need a passport, a proof of address and a payslip.", "You have to bring three papers."),
        ("提交申请表原件以及照片。", "要交两样东西：申请表原件，还有照片。"),
        ("三包期内可以退货。", "Returns are possible within the three-guarantees period."),
        ("We keep your file for _up to two years_.", "We keep your file for 24 months at most."),
        ("A maximum of 2GB can be added.", "Two gigabytes is the most you can add."),
        ("Sponsorship is matched up to $5,000 USD.", "Matching tops out at five thousand US dollars."),
        ("The rate holds for the first 12 months.", "The rate holds over the first year."),
        (
            "Cure it prior to 30 days after receipt of the notice.",
            "Cure it before 30 days from the notice have passed.",
        ),
        ("Accounts frozen for less than a week are thawed.", "Was it frozen three days ago? We thaw it."),
        ("劳动节放假2天。", "五一的假期有两天。"),
        ("除夕放假。", "年三十放假。"),
        ("You may change your mind within 30 days.", "Second thoughts? You have 30 days."),
        ("Refunds are granted within 14 days of purchase.", "On day 20 it's too late for a refund."),
        ("Refunds are granted within 14 days of purchase.", "Bought it ten days ago? You get a refund."),
        ("Refunds are granted within 14 days of purchase.", "If you ask three weeks after purchase, it's too late."),
        ("Balances below $100 are carried over.", "With $40 left, your balance is carried over."),
        ("Members may book up to 3 times a week.", "You can't book four times in one week."),
        ("Storage is limited to 2 GB.", "Three gigabytes are too much."),
        ("Storage is limited to 2 GB.", "2,000 MB is all you can store."),
        ("每人限购两份。", "买三份不行。"),
        ("保修一年。", "买了十四个月就过保了。"),
        ("欠费超过30日的可以停机。", "欠费四十天，可以停机。"),
        ("欠费超过30日的可以停机。", "欠费20天还不能停机。"),
        ("处1万元以上5万元以下的罚款。", "The fine is RMB 10,000 to 50,000."),
        ("The fine starts at $50 and goes up to $500.", "The lowest fine is fifty dollars."),
        ("责任比例为60%。", "The share of fault is six tenths."),
        ("逾期按每日0.05%支付违约金。", "逾期一天赔万分之五。"),
        ("付款后能够在24小时内恢复。", "It is back within a day of paying."),
        ("营业时间限于8时至24时。", "半夜十二点打烊。"),
        ("正月初一至初三放假，共4天。", "初一到初三一共放四天。"),
        ("起飞前45分钟截止。", "起飞前三刻钟截止。"),
        ("Members may book 3 courts weekly at most.", "Three bookings a week is the most."),
        ("Codes last a month from their issue.", "Codes stay good for a month after their issue."),
        ("After 72 hours without an answer, the file is closed.", "If nobody answers within three days, it is closed."),
        ("付款未在30天内完成的，订单过期。", "满30天付款还没完成，订单就过期。"),
        ("应在30日内处理。", "一个月（30天）里要处理。"),
        ("Frozen accounts are closed 180 days after freezing.", "They aren't closed before 180 days have passed."),
        ("应当至少提前三十日通知。", "通知不能晚于出发前30天。"),
        ("We may refuse appeals more than six months after it.", "Appeal eight months after it and we can refuse."),
        ("在合同期满前十五日内提示。", "要在合同到期之前15天内提示。"),
        ("The money goes to an existing card.", "A card is fine as long as it's one you already hold."),
        ("The provider of the product answers for it.", "The maker of a third-party app answers for it."),
        ("Payouts are made on the 22nd of the month.", "每月22日付款。"),
        ("维修超过5日的，提供备用车。", "等零件的时间也算在那5天里。"),
        ("You pay the original price.", "You pay what you first paid."),
    ],
)
def test_what_is_counted_or_supposed_follows(quote: str, claim: str) -> None:
    assert is_covered(claim, quote)


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        ("If a caller asks for a manager 3 times, connect them.", "After the second request we connect you."),
        ("累计维修超过4次的，可以换货。", "修到第四次就可以换货。"),
        ("You need a passport, a proof of address and a payslip.", "You have to bring four papers."),
        ("Bring two papers: a passport and a payslip with a stamp and a date.", "You have to bring three papers."),
        ("提交申请表原件以及照片。", "要交三样东西：申请表原件，还有照片。"),
        ("We keep your file for _up to two years_.", "We keep your file for 12 months at most."),
        ("Accounts frozen for less than a week are thawed.", "Was it frozen nine days ago? We thaw it."),
        ("Refunds are granted within 14 days of purchase.", "On day 20 you get a refund."),
        ("Refunds are granted within 14 days of purchase.", "You have 20 days to ask for a refund, if you like."),
        ("Members may book up to 3 times a week.", "You can book four times in one week."),
        ("Storage is limited to 2 GB.", "One gigabyte is too much."),
        ("每人限购两份。", "买三份可以。"),
        ("单笔满99元包邮，不足99元收运费8元。", "没到99元的订单，运费是12元。"),
        ("The fine starts at $50 and goes up to $500.", "The highest fine is fifty dollars."),
        ("营业时间限于8时至24时。", "半夜十一点打烊。"),
        ("Payouts are made on the 22nd of the month.", "每月20日付款。"),
        ("Codes last 7 days from their issue.", "Codes stay good for a month after their issue."),
        ("应在30日内处理。", "两个月（30天）里要处理。"),
        ("应在一个月内处理。", "30天内要处理。"),
        ("Backups are deleted within 60 days.", "Backups are gone within three months."),
        ("Accounts not paid for less than a week are thawed.", "Accounts not paid for more than a week are thawed."),
        ("The password expires every 90 days.", "The password expires every 90 weeks."),
    ],
)
def test_what_is_counted_otherwise_does_not(quote: str, claim: str) -> None:
    assert not is_covered(claim, quote)


@pytest.mark.parametrize(
    ("quote", "claim", "is_other"),
    [
        ("自收到退货要求之日起十五日内办理。", "收到退回的货物后十五日内办理。", True),
        ("自收到退货要求之日起十五日内办理。", "收到退货请求后十五天内办理。", False),
        ("自接到投诉之日起7日内处理。", "签收快件后7天内处理。", True),
        ("可以在购买后的30天内取消软件购买。", "软件购买可以在激活后的30天内取消。", True),
        ("可以在购买后的30天内取消软件购买。", "软件买了之后30天内可以取消。", False),
        ("Appeal for up to six months following the decision.", "Appeal within six months of the violation.", True),
        ("Appeal for up to six months following the decision.", "Appeal within six months of our ruling.", False),
        ("It is deleted 30 days after cancellation.", "It is deleted 30 days after the refund reaches you.", True),
        ("It is deleted 30 days after cancellation.", "最后一次登录30天后删除。", True),
        ("You are paid within 90 days of registration.", "You are paid within 90 days of your first sale.", True),
        ("You are paid within 90 days of registration.", "You are paid within 90 days of signing up.", False),
        (
            "Ask within 9 days of cancellation, expiry, or downgrade.",
            "You have 9 days after downgrading to ask.",
            False,
        ),
        ("Ask within 9 days of cancellation.", "You have 9 days after downgrading to ask.", True),
        ("Accounts end 180 days after being frozen.", "It ends 180 days after the freeze.", False),
        ("Accounts end 180 days after being frozen.", "It ends 180 days after you last logged in.", True),
        ("自受理之日起60日内办结。", "自申诉之日起六十天内办结。", True),
        ("自受理之日起60日内办结。", "受理以后六十天内办结。", False),
        ("在经营前十五日内办理备案。", "开业之后15天内办备案。", True),
        ("在经营前十五日内办理备案。", "开业之前15天内办备案。", False),
        ("Remind them 5 days before the charge.", "The reminder comes 5 days after the charge.", True),
        ("Remind them 5 days before the charge.", "The reminder comes 5 days ahead of the charge.", False),
        ("自确认无法退回之日起超过6个月的，予以销毁。", "自交寄之日起超过6个月的，予以销毁。", True),
        ("补足费用后的48小时内恢复服务。", "从停机那一刻起48小时内恢复服务。", True),
        ("补足费用后的48小时内恢复服务。", "把费用补齐后48小时内恢复服务。", False),
        ("按合同订立时的1年期利率计算。", "按签合同时的一年期利率算。", False),
        (
            "It ends 60 days after the trial has expired without being upgraded.",
            "60 days after the trial started.",
            True,
        ),
    ],
)
def test_a_period_counts_from_the_same_event(quote: str, claim: str, *, is_other: bool) -> None:
    assert bool(list(find_other_starts(claim, (quote,)))) == is_other


@pytest.mark.parametrize(
    ("claim", "is_crossed"),
    [
        ("查国际邮件的，三十天内告诉您结果。", True),
        ("查国际邮件的，六十天内告诉您结果。", False),
        ("查其他邮件的，三十天内告诉您结果。", False),
    ],
)
def test_what_tells_two_like_cases_apart_ties_their_values(claim: str, *, is_crossed: bool) -> None:
    quote = "查询国际邮件的，应当自查询之日起六十日内告知结果；查询其他邮件的，应当自查询之日起三十日内告知结果。"

    assert bool(list(find_crossed(claim, (quote,)))) == is_crossed


@pytest.mark.parametrize(
    ("quote", "claim", "is_other"),
    [
        ("Each extra bag is 50 dollars.", "Extra bags are charged at $50 per kilogram.", True),
        ("Each extra bag is 50 dollars.", "You pay $50 for every extra bag.", False),
        ("Each user gets 2 GB.", "Each team gets two gigabytes.", True),
        ("Each user gets 2 GB.", "Every customer gets two gigabytes.", False),
        ("每个收货地址限领三份。", "每个账号限领三份。", True),
        ("每个收货地址限领三份。", "一个地址最多领三份，每份都一样。", False),
        ("Members get 20% off the price.", "Members pay 20% of the price.", True),
        ("Members get 20% off the price.", "Members save 20%.", False),
        ("A fee of 20% of the price is charged.", "You get 20% off the price.", True),
        ("全场八折。", "全场便宜八成。", True),
        ("全场八折。", "全场打八折，付80%。", False),
        ("You may pause twice a year.", "You may pause twice a month.", True),
        ("You may pause twice a year.", "You may pause once every six months.", False),
        ("Plans are paid on a monthly basis.", "You pay year by year.", True),
        ("Plans are paid on a monthly basis.", "You pay month by month.", False),
    ],
)
def test_a_figure_counts_by_the_same_thing_and_time(quote: str, claim: str, *, is_other: bool) -> None:
    assert bool(list(find_misattached(claim, (quote,)))) == is_other


@pytest.mark.parametrize(
    ("quote", "claim", "follows"),
    [
        ("The offer runs from 1 March to 31 May.", "The offer starts on March 1st.", True),
        ("The offer runs from 1 March to 31 May.", "The offer starts on May 31.", False),
        ("The offer runs from 1 March to 31 May.", "You can use it until May 31.", True),
        ("The offer runs from 1 March to 31 May.", "It is valid until March 1.", False),
        ("营业时间9:00至18:00。", "下午六点关门。", True),
        ("营业时间9:00至18:00。", "下午六点开门。", False),
        ("营业时间9:00至18:00。", "等到早上九点才开门。", True),
        ("活动时间：3月1日至3月15日。", "活动从3月15日开始。", False),
        ("活动时间：3月1日至3月15日。", "活动到3月15号结束。", True),
    ],
)
def test_a_span_starts_with_its_first_end(quote: str, claim: str, *, follows: bool) -> None:
    assert is_covered(claim, quote) == follows


@pytest.mark.parametrize(
    ("quote", "claim", "is_other"),
    [
        ("可能停电时，应当提前公告。", "等真的停电以后才需要公告。", True),
        ("可能停电时，应当提前公告。", "快要停电的时候要先公告。", False),
        ("停电后应当公告。", "等停电以后才需要公告。", False),
        ("We warn you in advance of what is likely to fail.", "We warn you only after it has failed.", True),
        ("You can withdraw your consent at any time.", "You can withdraw only until the study begins.", True),
        ("You can withdraw your consent at any time.", "You can withdraw even after the study began.", False),
        ("You can withdraw at any time before the study.", "You can withdraw only until the study begins.", False),
        ("用户可以随时注销。", "只能在月底前注销。", True),
    ],
)
def test_nobody_waits_for_what_may_be_and_any_time_has_no_end(quote: str, claim: str, *, is_other: bool) -> None:
    assert bool(list(find_other_occasions(claim, (quote,)))) == is_other
