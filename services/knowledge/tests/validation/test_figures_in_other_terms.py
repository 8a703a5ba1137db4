"""Figures that people tell in other terms than the policy does: what follows passes, what only looks alike does not."""

from fractions import Fraction

import pytest

from knowledge.validation.facts import find_uncovered
from knowledge.validation.rates import read_rates

pytestmark = pytest.mark.unit


def is_covered(claim: str, quote: str) -> bool:
    return not list(find_uncovered(claim, (quote,)))


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        (
            "Sellers must dispatch within 3 business days of payment.",
            "You have three working days after payment to send it.",
        ),
        ("Changes are possible up to 2 hours before departure.", "You can change until two hours before departure."),
        ("Changes are possible up to 2 hours before departure.", "Change it two hours before departure at the latest."),
        ("The notice period is 4 weeks.", "Tell us at least four weeks before."),
        ("Cancellations need 24 hours' notice.", "Cancel at least 24 hours before."),
        ("The minimum contract term is 12 months.", "You are tied in for the first year."),
        ("The minimum contract term is 12 months.", "You can't leave in the first 12 months."),
        ("We repair it after you have accepted the estimate.", "You get an estimate first and then decide."),
        ("Up to a total of 200 kg per household is free.", "You can bring up to 200 kg."),
        ("Up to a total of 200 kg per household is free.", "A household may bring 200 kg."),
        ("The plan includes 20 GB.", "You can use up to 20 GB."),
        ("A maximum of three attempts is allowed.", "You get three tries."),
        ("Each further kilogram costs EUR 0.35.", "Anything more costs 35 cents a kilo."),
        ("Withdraw at least 21 days before the course.", "Inside the 21-day window it is too late."),
        ("Claims are made within six months of the event.", "Six months after the event it's too late."),
        ("A discount of 20% applies.", "You pay 80% of the price."),
        ("全场八折。", "便宜20%。"),
        ("Parcels are kept for 10 days.", "Pick it up within ten days."),
        ("保修期一年。", "一年内坏了免费修。"),
        ("价格保护期为签收后15天。", "签收后半个月内降价可以申请。"),
        ("Children aged 6 to 11 pay half.", "Between six and eleven, kids pay half."),
        ("The report is published twice a year.", "There is a report every six months."),
        ("Interest is credited quarterly.", "Interest is credited every three months."),
        ("每季度结息一次。", "一年结息四次。"),
        ("The shop is open from 9:00 to 17:00.", "We are open from nine to five."),
        ("Support is there 24/7.", "Support is there 24 hours a day."),
        ("每人限购3件。", "一个人最多买三件。"),
        ("年满18周岁方可办理。", "未满18岁的不能办理。"),
        ("入住日三天前取消的全额退款。", "离入住还有三天以上时取消，全额退。"),
        ("每年前两次免费，此后每次200元。", "第三次开始每次200元。"),
        ("延误4小时以上的提供食宿。", "晚了四个多小时就提供食宿。"),
        ("一个年度内刷满12笔免年费。", "一年刷满12笔免年费。"),
        ("Tell the bank of a lost card.", "Tell the bank of a lost card right away."),
        ("Buses more than 150 minutes late are refunded.", "Over two and a half hours late, you are refunded."),
        ("Trips under 90 minutes have no break.", "There is no break below an hour and a half."),
        ("Swap a shift up to 6 hours beforehand.", "You can swap while there are at least six hours to go."),
        ("You bear up to $40.", "The most you are ever asked to bear for it is $40."),
        ("The fee has a minimum of $3.", "You will never pay less than three dollars."),
        ("Rent is due every quarter.", "Rent is paid four times a year."),
        ("物业费每季度收一次。", "物业费三个月收一次。"),
        ("Up to 4 kg is free.", "The first 4 kg are free."),
        ("Riders aged 60 and over pay half.", "At 66 you pay half."),
        ("Cats up to 7 kg may travel.", "Your 5 kg cat may travel."),
        ("We match prices within 9 days.", "For nine days after buying we match prices."),
        ("定金2500元。", "定金两千五。"),
        ("满4件包邮。", "买五件就包邮。"),
        ("首小时免费，此后每小时6元。", "第二个小时起每小时6元。"),
        ("得分低于60%的可以补考。", "没到60%可以补考。"),
        ("身高1.4米以下免票。", "1米4以下免票。"),
        ("确有困难的可以缓交。", "一时交不上的可以缓交。"),
        ("只能换同款的其他颜色。", "只能换同一款的别的颜色。"),
    ],
)
def test_a_figure_told_in_other_terms_follows(quote: str, claim: str) -> None:
    assert is_covered(claim, quote)


@pytest.mark.parametrize(
    ("quote", "claim"),
    [
        (
            "Sellers must dispatch within 3 business days of payment.",
            "You have five working days after payment to send it.",
        ),
        ("Changes are possible up to 2 hours before departure.", "You can change until 30 minutes before departure."),
        ("Changes are possible up to 2 hours before departure.", "Change it within two hours before departure."),
        ("The minimum contract term is 12 months.", "You are tied in for the first two years."),
        ("The minimum contract term is 12 months.", "You are tied in for at most 12 months."),
        ("Parcels are kept for 10 days.", "Parcels are kept for at most ten days."),
        ("A discount of 20% applies.", "A discount of 80% applies."),
        ("You pay 20% of the price.", "You pay 80% of the price."),
        ("Each further kilogram costs EUR 0.35.", "Anything more costs 3.5 cents a kilo."),
        ("Each further kilogram costs GBP 0.35.", "Anything more costs 35 cents a kilo."),
        ("Withdraw at least 21 days before the course.", "Inside the 14-day window it is too late."),
        ("The report is published twice a year.", "There is a report every four months."),
        ("Interest is credited quarterly.", "Interest is credited every two months."),
        ("The shop is open from 9:00 to 17:00.", "We are open from nine to six."),
        ("The price is 20 euros.", "The price is at most 20 euros."),
        ("每年前两次免费，此后每次200元。", "第二次开始每次200元。"),
        ("年满18周岁方可办理。", "未满20岁的不能办理。"),
        ("We answer within 24 hours.", "We answer right away."),
        ("Support is there 24/7. The fee is 20 euros.", "The fee is 24 euros."),
        ("客服全天在线，保修12个月。", "保修24个月。"),
        ("You get up to 500 euros back.", "You can get 500 euros back."),
        ("A refund of at most 50% is possible.", "You can get 50% back."),
        ("The fee has a minimum of $3.", "You will never pay more than three dollars."),
        ("Cats up to 7 kg may travel.", "Your 8 kg cat may travel."),
        ("Riders aged 60 and over pay half.", "At 56 you pay half."),
        ("定金2500元。", "定金两千零五。"),
        ("满4件包邮。", "买三件就包邮。"),
        ("前两次免费，第三次起收费。", "可以免费三次。"),
        ("物业费每季度收一次。", "物业费两个月收一次。"),
        ("身高1.4米以下免票。", "1米5以下免票。"),
    ],
)
def test_another_figure_does_not(quote: str, claim: str) -> None:
    assert not is_covered(claim, quote)


@pytest.mark.parametrize(
    ("text", "a_year"),
    [
        ("twice a year", 2),
        ("every six months", 2),
        ("once every two weeks", 26),
        ("quarterly", 4),
        ("three times per month", 36),
        ("每年两次", 2),
        ("每半年", 2),
        ("一个月一次", 12),
        ("每3个月", 4),
        ("每天", 365),
    ],
)
def test_how_often_is_read_as_times_a_year(text: str, a_year: int | None) -> None:
    rates = [rate for _, _, rate in read_rates(text)]

    assert rates == ([] if a_year is None else [Fraction(a_year)])
