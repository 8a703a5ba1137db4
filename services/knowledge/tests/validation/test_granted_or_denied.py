"""A claim grants and denies what the nearest case of its quotes grants and denies, with a negation or an opposite."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.validation.claims import check_claim
from knowledge.validation.verdict import FaultCode
from knowledge.validation.words import normalise

pytestmark = pytest.mark.unit


def codes(claim: str, quote: str) -> set[FaultCode]:
    return {fault.code for fault in check_claim(claim, (quote,), claim_overlap=0.0, agreement=0.9)}


TURNED = frozenset({FaultCode.POLARITY_DIFFERS, FaultCode.MODALITY_DIFFERS})


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Vouchers can be used together with other offers.", "Vouchers cannot be combined with other offers."),
        ("Pets are welcome in all rooms.", "Pets are not allowed in the rooms."),
        ("Breakfast is included in the room rate.", "Breakfast is not included and costs 12 euros per person."),
        ("You pay extra for breakfast.", "Breakfast is included in the room rate."),
        ("Late check-out is free.", "Late check-out is subject to a charge of $20."),
        ("You must register to use the Wi-Fi.", "No registration is required to use the Wi-Fi."),
        ("Points expire when you close your account.", "Points remain valid even if you close your account."),
        ("Points stay on your account when you close it.", "Points are forfeited when the account is closed."),
        ("Gift cards can be redeemed for cash.", "Gift cards are not redeemable for cash."),
        ("The deposit is non-refundable.", "The deposit is refunded in full if you cancel a week ahead."),
        ("Smoking is permitted on the balcony.", "Smoking is forbidden everywhere, including on the balcony."),
        ("Your warranty is void if you open the case.", "Opening the case does not affect the warranty."),
        ("Opening the case has no effect on the warranty.", "The warranty lapses if the case is opened."),
        (
            "The contract ends by itself after a year.",
            "The contract is renewed automatically after one year unless you cancel.",
        ),
        ("Insurance is optional.", "Insurance is mandatory for all rentals."),
        ("You have to take out insurance.", "Insurance is optional."),
        ("We share your data with advertisers.", "Your data is never passed on to advertisers."),
        ("Tickets may be resold.", "Tickets are not transferable and must not be resold."),
        ("Minors may attend on their own.", "Minors must be accompanied by an adult."),
        ("Sale items can be sent back.", "Sale items are excluded from returns."),
        ("Deliveries are made on public holidays.", "There are no deliveries on public holidays."),
        ("Unused days are lost at year's end.", "Unused days can be carried over to the following year."),
        ("宠物可以带进房间。", "酒店谢绝携带宠物入住。"),
        ("会员费退得了。", "会员费一经支付概不退还。"),
        ("早餐要另外付钱。", "房价已含早餐。"),
        ("房价不含早餐。", "房价包含双人早餐。"),
        ("延迟退房不收费。", "延迟退房按每小时50元收费。"),
        ("积分注销账号后还在。", "注销账号后积分清零。"),
        ("拆开包装就不能退了。", "拆开包装不影响退货。"),
        ("门票可以转卖。", "门票实名制，不得转让。"),
        ("不用预约，直接来就行。", "须提前一天预约，未预约的不予接待。"),
        ("必须预约才能进馆。", "无需预约，凭身份证即可入馆。"),
        ("保险是自愿买的。", "租车须强制购买保险。"),
        ("代金券能兑现金。", "代金券不能兑换现金。"),
        ("节假日也发货。", "节假日暂停发货。"),
        ("节假日不发货。", "节假日照常发货。"),
        ("没用完的流量月底清零。", "当月未用完的流量可结转至次月。"),
        ("没用完的流量可以留到下个月。", "当月剩余流量月底清零，不结转。"),
        ("退货不用带小票。", "退货时须出示购物小票。"),
        ("退货要带小票。", "退货无需提供购物小票。"),
        ("外带食物可以带进场馆。", "场馆内禁止外带食物。"),
        ("合同到期自动终止。", "合同到期后自动续期一年。"),
        ("优惠可以叠加。", "两项优惠不可同时使用。"),
        ("特价商品也参加满减。", "特价商品不参与满减活动。"),
        ("押金会计利息。", "押金不计利息。"),
        ("您的录音会被保存。", "通话录音不会留存。"),
        ("打印要收费。", "图书馆内打印免费。"),
        ("Broken cups are not covered either.", "We cover nothing, except cups that arrive broken."),
        ("本店重大过失造成损失的，也不赔。", "本店不承担赔偿责任，但因本店故意或者重大过失造成损失的除外。"),
        ("您不用单独同意。", "我们仅在取得您的单独同意后提供信息。"),
        ("A signature isn't necessary.", "Returns must be accompanied by a signature."),
        ("一撤回授权，做好的茶壶订单就作废。", "撤回授权不影响之前做好的茶壶订单。"),
        ("关店后，茶券余额会清零。", "关店的，茶券余额不受影响。"),
        ("三天内送回来，烧制费也不会退。", "三天内送回来的，烧制费自动退回。"),
        (
            "You get the glazing fee back if we cancel.",
            "If we cancel, the cup is refunded; glazing fees are not refunded.",
        ),
        (
            "If the workshop is moved, your voucher is no longer valid.",
            "If the workshop is moved, vouchers remain valid.",
        ),
        (
            "If you'd rather not keep the cup, we pay it out in cash.",
            "Cups may be swapped but are not paid out in cash.",
        ),
        ("自己摔坏的茶壶，三天没修好同样可以减钱。", "三天没修好的，减一成；自己摔坏的茶壶，不予减钱。"),
        ("Cracks are worth telling us about, but it isn't compulsory.", "Customers must tell us about cracks."),
        ("开窑前说不说都行，师傅没有告知的义务。", "开窑前师傅应当告知学员。"),
        ("店家愿意的话可以告诉学员。", "店家应当告诉学员。"),
        (
            "You can leave early without showing any proof of a cold.",
            "Potters may leave early on presentation of proof of a cold.",
        ),
        (
            "We may raise the price without having to notify you.",
            "We must tell you in writing before we raise the price.",
        ),
        ("裂了的茶杯也能退。", "十日内可以退货，但定做的茶壶和裂了的茶杯除外。"),
        ("检查窑炉要学员付费。", "检查窑炉不收费。"),
        ("评茶结果不是最终结果。", "评茶结果为最终结果。"),
    ],
)
def test_the_opposite_is_refused(claim: str, quote: str) -> None:
    assert codes(claim, quote) & TURNED


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("You can't use a voucher on top of another offer.", "Vouchers cannot be combined with other offers."),
        ("Breakfast comes on top of the room rate.", "Breakfast is not included and costs 12 euros per person."),
        ("There's nothing extra to pay for breakfast.", "Breakfast is included in the room rate."),
        ("You don't need to sign up for the Wi-Fi.", "No registration is required to use the Wi-Fi."),
        ("You lose your points if you close the account.", "Points are forfeited when the account is closed."),
        (
            "Cancel a week ahead and you get the whole deposit back.",
            "The deposit is refunded in full if you cancel a week ahead.",
        ),
        ("Nobody but you sees your data.", "Your data is never passed on to third parties."),
        ("Under-18s can't come alone.", "Minors must be accompanied by an adult."),
        ("You can't return anything from the sale.", "Sale items are excluded from returns."),
        (
            "Once the order is on its way, the address can't be changed any more.",
            "The address can be changed until the order has been dispatched.",
        ),
        (
            "You don't lose unused days, they move to next year.",
            "Unused days can be carried over to the following year.",
        ),
        ("宠物不能住。", "酒店谢绝携带宠物入住。"),
        ("交了会员费就退不了了。", "会员费一经支付概不退还。"),
        ("早餐不用另外花钱。", "房价已含早餐。"),
        ("账号注销以后，积分就没了。", "注销账号后积分清零。"),
        ("包装拆了也能退。", "拆开包装不影响退货。"),
        ("不提前约好就不接待。", "须提前一天预约，未预约的不予接待。"),
        ("身份证带着就能进，不用先约。", "无需预约，凭身份证即可入馆。"),
        ("过节那几天不发货。", "节假日暂停发货。"),
        ("流量这个月没用完，下个月还能接着用。", "当月未用完的流量可结转至次月。"),
        ("退货不看小票。", "退货无需提供购物小票。"),
        ("合同到期不用重签，会再续一年。", "合同到期后自动续期一年。"),
        ("两个优惠只能用一个。", "两项优惠不可同时使用。"),
        ("特价的东西不算满减。", "特价商品不参与满减活动。"),
        ("保险不买不行。", "租车须强制购买保险。"),
        ("Nobody but the owner can close the shop.", "Only the owner may close the shop."),
        ("You can't return or exchange cups.", "Cups are not eligible for return or exchange."),
        ("You may visit on a Monday that is a holiday.", "The kiln is closed on Mondays, except on holidays."),
        ("After 40 days we take no cups back.", "Cups are taken back within 40 days."),
        ("满99元不收运费。", "满99元免运费，不足99元的收取运费8元。"),
        ("茶壶放哪儿得您同意。", "快递员不得将茶壶放置在未经收件人同意的地点。"),
        ("买过茶壶的，这次调整对您没有影响。", "买过茶壶的不受此次调整影响。"),
        ("Without proof of purchase there is no claim.", "To claim, you need to show proof of purchase."),
        ("第二窑要另付十元。", "可免费烧一窑，第二窑起每窑十元。"),
        (
            "If the workshop keeps the cup, it has to send a list.",
            "The workshop may keep the cup only if a list is sent.",
        ),
        ("裂纹是看不到的。", "学员可以查看釉色，但不能查看裂纹。"),
        ("重烧以后恢复上釉，不用学员交钱。", "学员不需要为恢复上釉支付费用。"),
        (
            "Even after we stop making a glaze, we ship it for a year.",
            "If a glaze is discontinued, we continue to ship it for a year.",
        ),
        ("If frost broke the kiln, the potter doesn't owe you compensation.", "Compensation is not owed for frost."),
        ("Come on another day, because we don't fire cups on Mondays.", "Cups are not fired on Mondays."),
        ("Please note that you won't get the glazing fee back.", "Glazing fees are not refunded, cups are refunded."),
    ],
)
def test_the_same_in_natural_words_is_accepted(claim: str, quote: str) -> None:
    assert not codes(claim, quote) & TURNED


@given(st.text(alphabet="退不免收费可以,。;的 abnotfree", max_size=40))
def test_no_text_turns_itself_about(text: str) -> None:
    assert not codes(text, text) & TURNED or not normalise(text).strip()
