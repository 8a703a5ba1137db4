"""Whoever a claim lets act is whom its quotes let act: named, possessed, asked, told, paid, in any voice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.validation.claims import check_claim
from knowledge.validation.party_acts import read_roles
from knowledge.validation.verdict import FaultCode
from knowledge.validation.words import normalise

pytestmark = pytest.mark.unit


def codes(claim: str, quote: str) -> set[FaultCode]:
    return {fault.code for fault in check_claim(claim, (quote,), claim_overlap=0.0, agreement=0.9)}


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Postage for exchanges comes out of the customer's pocket.", "We cover postage for exchanges within 30 days."),
        (
            "You have to foot the bill for the plumber.",
            "The landlord pays for the plumber unless the blockage was caused by the tenant.",
        ),
        (
            "It's the shop's call whether you get a repair or a replacement.",
            "The customer may choose between repair and replacement.",
        ),
        (
            "The neighbours get to pick the colour of the fence.",
            "The owner of the property picks the colour of the fence.",
        ),
        (
            "Your employer sends the sick note to the health insurer.",
            "The employee must send the sick note to the health insurer within three days.",
        ),
        (
            "The vet has to be told about allergies by the kennel.",
            "Owners must tell the kennel about any allergies their dog has.",
        ),
        (
            "The gym reads the meter on the first of each month.",
            "Members read the meter themselves on the first of each month.",
        ),
        ("We'll bear any customs duties.", "Any customs duties are the responsibility of the buyer."),
        (
            "The hotel books the airport transfer for you.",
            "Guests book their own airport transfer; the hotel does not arrange it.",
        ),
        (
            "If the courier is late, the restaurant makes it up to you.",
            "If the courier is late, the platform gives the customer a voucher worth $5.",
        ),
        ("The seller leaves the review within 14 days.", "Buyers may leave a review within 14 days of delivery."),
        (
            "It is up to you to prove that you did not authorise the payment.",
            "The bank must prove that the customer authorised the payment.",
        ),
        ("Your data is looked after by a third-party provider.", "We store and look after your data ourselves."),
        ("The tenant mows the lawn.", "The landlord mows the lawn every two weeks in summer."),
        ("You can change the price with a month's notice.", "We may change the price with one month's notice."),
        (
            "If you move house, we return the router at our cost.",
            "If you move house, you must return the router to us at your own cost.",
        ),
        ("Disputes are settled by the seller.", "Disputes between buyer and seller are settled by the platform."),
        ("运输途中摔坏的，由快递公司赔给您。", "运输途中损坏的，由商家负责赔偿，商家赔偿后可向快递公司追偿。"),
        ("装修垃圾由物业来清运。", "装修垃圾由业主自行清运，物业不承担清运费用。"),
        ("换锁的钱房东掏。", "租客自行换锁的，费用由租客承担。"),
        ("孩子的午餐由学校准备。", "家长应为孩子准备午餐，学校提供加热服务。"),
        ("顾客可以单方面决定涨价。", "商家可以调整价格，但须提前十天告知顾客。"),
        ("迟到超过十五分钟，老师可以取消课程并不退费。", "老师迟到超过十五分钟的，学员可以取消课程并获得全额退费。"),
        ("定金要退给卖家。", "卖家违约的，应当向买家双倍返还定金。"),
        ("平台会在三天内发货。", "商家须在三天内发货，否则平台有权对商家处以罚款。"),
        ("退款是由银行批准的。", "退款由平台审核批准，银行入账需要1至3个工作日。"),
        ("押金由中介保管。", "押金由房东保管，租期届满后退还租客。"),
        ("体检费用单位报销不了，得应聘者自己出。", "入职体检费用由用人单位承担。"),
        ("卖家可以在七天内申请售后。", "买家可以在签收后七天内申请售后，卖家应在48小时内响应。"),
        ("商品质量有争议的，由消费者举证。", "商品质量有争议的，由经营者承担举证责任。"),
        ("车损由租车公司自己承担。", "租期内的车损由承租人承担，保险赔付部分除外。"),
        ("发票抬头写错了，由商家承担重开的邮费。", "因买家填写错误需要重开发票的，邮费由买家承担。"),
        ("钢琴调律由租客负责联系。", "钢琴每年调律一次，由出租方联系并付费。"),
        (
            "您的包裹由邻居代签没关系，丢了快递公司赔。",
            "客户要求放置指定地点的包裹丢失的，快递公司不承担赔偿责任，由客户自行承担。",
        ),
        (
            "Claims are handed in to the seller.",
            "Claims must be submitted to the platform within 14 days; the platform informs the seller.",
        ),
        ("The recipient gets the compensation.", "Compensation for lost parcels is paid to the sender."),
        (
            "You'll hear from the police, who call you.",
            "The insurer will call you within two days; please report the theft to the police first.",
        ),
        (
            "The organiser's decision can be overruled by the jury.",
            "The jury's decision may be overruled by the organiser.",
        ),
        ("The jury has the last word.", "The organiser has the final say in all disputes."),
        ("It's the tenant's job to clear the snow.", "The landlord is in charge of clearing the snow."),
        ("Clearing the snow is down to the tenant.", "The landlord clears the snow."),
        ("The gym pays you if you cancel early.", "If you cancel early, you pay the gym a fee of 40 euros."),
        ("Your data belongs to the provider.", "The customer retains ownership of all data uploaded."),
        ("Bags are searched by the guests themselves.", "Our staff may search bags at the entrance."),
        ("The shop lends the buyer's device to the courier.", "The shop lends the buyer a replacement device."),
        (
            "Tickets can be passed on by the venue only.",
            "Ticket holders may pass on their tickets; the venue does not arrange transfers.",
        ),
        (
            "The parents decide when the class starts.",
            "The teacher decides when the class starts; parents are told by text message.",
        ),
        ("需要向平台提交索赔材料。", "索赔材料应向保险公司提交，平台协助核实。"),
        ("赔偿金归收件人。", "快件丢失的，赔偿金支付给寄件人。"),
        ("退货地址由买家说了算。", "退货地址由卖家指定，买家应按指定地址寄回。"),
        ("这笔钱算业主的。", "公共区域维修费由物业公司承担，从维修基金中列支。"),
        ("出了问题直接找厂家。", "商品出现质量问题的，请联系店铺客服，由店铺与厂家协调。"),
        ("老师请假要学生批准。", "学生请假须经老师批准。"),
        ("司机可以要求乘客换车。", "乘客可以要求司机更换车辆。"),
        ("钥匙由租客保管，房东不留备用。", "备用钥匙由房东保管，进入房屋前须通知租客。"),
        ("评价由卖家来写。", "订单完成后，买家可在15天内填写评价，卖家可以回复一次。"),
        ("审稿费由杂志社出。", "审稿费由作者承担，录用后不另收版面费。"),
        ("游客违约，旅行社可以拿到双倍赔偿。", "旅行社违约的，应向游客双倍返还定金。"),
        ("宠物受伤了主人不负责，寄养店赔。", "寄养期间宠物受伤，经鉴定属宠物自身疾病的，由主人承担治疗费。"),
        ("照片版权归客户所有。", "照片版权归摄影师所有，客户享有个人使用权。"),
        ("由房客给消防设备做年检。", "房东每年对消防设备进行一次检测，房客应予配合。"),
        ("It's the workshop that picks the glaze.", "The workshop shall offer customers a choice of two glazes."),
        ("The kiln must be fired by the trainer rather than the tenant.", "The tenant must fire the kiln."),
        ("窑由学员来拆，而不是师傅。", "窑由师傅拆卸，学员可以旁观。"),
        ("商家说了不算，茶壶归谁以机场的认定为准。", "茶壶归谁由海关认定。"),
        ("学员可以向师傅申请重烧。", "学员可以向学校申请重烧，师傅协助。"),
        ("开窑由师傅审批。", "开窑由师傅准备，学校审批。"),
        ("Any member can change the clay.", "Only the owner can remove a member or change the clay."),
        ("工厂错了，商家赔完可以向客户追偿。", "工厂错了的，商家赔偿后有权向工厂追偿。"),
    ],
)
def test_another_party_is_refused(claim: str, quote: str) -> None:
    assert FaultCode.PARTY_DIFFERS in codes(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Postage is on us if you exchange it within 30 days.", "We cover postage for exchanges within 30 days."),
        (
            "You get to choose whether it's repaired or replaced.",
            "The customer may choose between repair and replacement.",
        ),
        (
            "Whoever receives the parcel pays the import duty.",
            "Customs duties and import taxes are payable by the recipient.",
        ),
        (
            "You'll need to send your sick note in within three days.",
            "The employee must send the sick note to the health insurer within three days.",
        ),
        ("If the other side breaks the deal you get twice your deposit back.", "卖家违约的，应当向买家双倍返还定金。"),
        ("换锁的费用得租客自己掏。", "租客自行换锁的，费用由租客承担。"),
        ("商家赔，赔完它自己去找快递公司要。", "运输途中损坏的，由商家负责赔偿，商家赔偿后可向快递公司追偿。"),
        ("家长给孩子备好午饭，学校可以帮忙热。", "家长应为孩子准备午餐，学校提供加热服务。"),
        (
            "老师要是迟到一刻钟以上，您可以取消这节课，钱全退。",
            "老师迟到超过十五分钟的，学员可以取消课程并获得全额退费。",
        ),
        (
            "We have to give you a month's notice before we raise the price.",
            "We may change the price with one month's notice.",
        ),
        (
            "The bank has to show that you authorised the payment.",
            "The bank must prove that the customer authorised the payment.",
        ),
        (
            "You take the router back to us and pay for sending it.",
            "If you move house, you must return the router to us at your own cost.",
        ),
        ("房东把押金退给您。", "押金由房东保管，租期届满后退还租客。"),
        ("卖家48小时内要给答复。", "买家可以在签收后七天内申请售后，卖家应在48小时内响应。"),
        ("Your landlord cuts the grass in summer.", "The landlord mows the lawn every two weeks in summer."),
        (
            "You'll have to sort out the airport transfer yourself.",
            "Guests book their own airport transfer; the hotel does not arrange it.",
        ),
        (
            "If the parcel is broken, get in touch with us; we'll deal with the courier.",
            "If your parcel is damaged, contact us and we will take it up with the courier.",
        ),
        (
            "The money for a lost parcel goes to whoever sent it.",
            "Compensation for lost parcels is paid to the sender.",
        ),
        (
            "Hand your claim in to the platform, they'll tell the seller.",
            "Claims must be submitted to the platform within 14 days; the platform informs the seller.",
        ),
        ("In the end it's the organiser who decides.", "The organiser has the final say in all disputes."),
        ("Your landlord has to clear the snow.", "The landlord is in charge of clearing the snow."),
        ("Your data stays yours.", "The customer retains ownership of all data uploaded."),
        ("You might have your bag searched at the entrance.", "Our staff may search bags at the entrance."),
        ("If you cancel early, that's 40 euros to the gym.", "If you cancel early, you pay the gym a fee of 40 euros."),
        ("材料交给保险公司，平台帮着核实。", "索赔材料应向保险公司提交，平台协助核实。"),
        ("寄到哪儿听卖家的。", "退货地址由卖家指定，买家应按指定地址寄回。"),
        ("请假得老师同意。", "学生请假须经老师批准。"),
        ("东西有毛病先找店里，厂家那边店铺去谈。", "商品出现质量问题的，请联系店铺客服，由店铺与厂家协调。"),
        ("备用钥匙在房东那儿。", "备用钥匙由房东保管，进入房屋前须通知租客。"),
        ("卖家只能回一次评价。", "订单完成后，买家可在15天内填写评价，卖家可以回复一次。"),
        ("骑手送晚了，顾客能拿5块钱券。", "骑手未按时送达的，平台扣除骑手当单配送费，顾客可获得5元补偿券。"),
        ("拍的照片版权是摄影师的，客户自己用没问题。", "照片版权归摄影师所有，客户享有个人使用权。"),
        ("The shop pays for a cracked cup, not you.", "The shop pays for cracked cups, customers pay for broken lids."),
        ("A crack has to be put right without charge to you.", "The trader shall repair cracks free of charge."),
        ("要家长来签字才能报名。", "学生报名，须由家长签字。"),
        ("卖家三天还没发货，您就能取消。", "卖家应在买家付款后三天内发货，否则买家可以取消订单。"),
    ],
)
def test_the_same_party_in_natural_words_is_accepted(claim: str, quote: str) -> None:
    assert FaultCode.PARTY_DIFFERS not in codes(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("You don't pay for the plumber, the landlord does.", "The landlord pays for the plumber."),
        ("质量问题退茶壶，您不用付运费。", "因个人原因退茶壶的，运费由买家承担；因质量问题退茶壶的，运费由卖家承担。"),
        ("屋里的灯坏了，维修费业主自己出。", "物业公司不承担业主室内灯具的维修费用。"),
    ],
)
def test_what_is_left_to_another_party_denies_nothing(claim: str, quote: str) -> None:
    assert not codes(claim, quote) & {FaultCode.POLARITY_DIFFERS, FaultCode.MODALITY_DIFFERS}


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Tell the bank about it.", ("tell", "buyer")),
        ("The roof is repaired by the tenant.", ("repair", "tenant")),
        ("It is up to the guests to choose.", ("decide", "buyer")),
        ("Repairs are the landlord's responsibility.", ("bear", "landlord")),
        ("Our staff search bags.", ("inspect", "house")),
        ("由教练通知学员。", ("tell", "coach")),
    ],
)
def test_roles_are_read_in_any_voice(text: str, role: tuple[str, str]) -> None:
    assert role in {(each.act, each.party) for each in read_roles(normalise(text)).roles}


@given(st.text(alphabet="买家卖由向付通知,。;不的 abytoupse", max_size=40))
def test_roles_lie_within_their_text(text: str) -> None:
    said = normalise(text)

    assert all(0 <= role.at <= len(said) for role in read_roles(said).roles)
