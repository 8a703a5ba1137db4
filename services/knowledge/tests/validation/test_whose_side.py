"""Parties are known by their side, and whoever stands in a time, a condition or a thing meant does not act."""

import pytest

from knowledge.validation.claims import check_claim
from knowledge.validation.verdict import FaultCode

pytestmark = pytest.mark.unit


def names_another(claim: str, quote: str) -> bool:
    faults = check_claim(claim, (quote,), claim_overlap=0.0, agreement=0.9)
    return FaultCode.PARTY_DIFFERS in {fault.code for fault in faults}


CABLES = "通信业务经营者应当在两日内修复线路；用户应当保持设备通电。"
BOILERS = "The provider inspects the boiler every year. Users keep the access free."
GLAZES = "学员向学校提出异议的，学校应当自收到异议之日起五日内处理，并将结果通知学员。"
LOANS = "押金由图书馆保管，读者归还图书后，图书馆在三日内退还。"


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("运营商要在两天内把线路修好。", CABLES),
        ("The network operator inspects the boiler every year.", BOILERS),
        ("I can't change the name, and have to transfer you.", "The agent cannot change names and transfers the user."),
        ("Our agents never offer a voucher first.", "Do not offer vouchers to the user unprompted."),
        ("您找学校提出异议，他们收到后五天内要处理。", GLAZES),
        ("您提出异议后，部门五天内处理。", "用户提出异议后，主管部门应当在五日内处理。"),
        ("您提供的照片确认以后，我们会寄出新的。", "我们确认您提供的照片后,会寄出新的。"),
        ("核实以后，结果会通知您。", "学员申请重烧的，工坊核实后将结果通知学员。"),
        ("那部分押金得退给您。", LOANS),
        (
            "The trainer may refuse, and the gym cannot cut the trainer's pay for it.",
            "Trainers may refuse an unlawful order. The gym must not cut a trainer's pay because of it.",
        ),
        ("陶土由镇上的街道来检测。", "陶土由镇政府检测，学员应当配合。"),
        ("因损害顾客利益被罚过的工坊，要公告。", "工坊因损害顾客利益受罚的，主管部门应当公告。"),
        ("支付平台要核实，平台不能收费。", "电子支付服务提供者应当核实，不得收费。"),
        ("The organiser compensates you.", "展览的举办者应当赔偿用户。"),
        ("The legal department approves the loan of a kiln.", "You need approval from Legal."),
        ("法院判影楼退给原告订金。", "法院判决被告退还原告订金。"),
        ("Either you or the library may end the loan.", "Either party may end the loan."),
        ("The library will stamp every loan.", "Every loan is stamped by the library."),
        ("每次借书都由图书馆盖章。", "借书须由图书馆盖章。"),
        ("You may borrow three kilns without paying.", "Readers borrow up to three kilns free of charge."),
        (
            "The library is responsible for cleaning the kilns.",
            "The library is responsible for properly cleaning kilns.",
        ),
        ("You may owe a fare difference.", "Readers change the kiln free of charge. A difference may apply."),
        ("图书馆要在三天内办理。", "读者提出的申请，图书馆应当在三天内办理。"),
        ("We erase the photo from the kiln.", "The provider erases the photo. Users keep a copy."),
        ("I switch the kiln on for you.", "If it is cold, you should enable the kiln for the user."),
        ("The kiln card needs the library's signature.", "The kiln card is signed by a representative of the library."),
        ("您来决定窑要不要接着烧。", "由读者确认是否继续烧窑。图书馆提前三天提示。"),
        ("作坊的押金由店家在两天内恢复。", "经营者应当在补交费用的学校用户补足费用后的两天内，恢复押金。"),
        ("您申请换人的话，学校先停课。", "投诉人或者被投诉人申请换人的，学校应当停课。"),
        ("平台商家要核实您的身份。", "经营者应当核实用户的身份。"),
        ("您可以要求影楼给出收费依据。", "影楼应当应学员的要求提供收费依据。"),
        ("弄丢以后照您跟邮局约好的规则来赔。", "丢失的，应当按照邮政企业与寄件人约定的规则赔偿。"),
        ("店家的主播骗了您，您找店家赔。", "经营者欺骗学员的，学员可以主张经营者赔偿。"),
        ("Data in a third-party app is on the glazer.", "The glazer is responsible for data in its app."),
        ("Kilns are fired by Stripe rather than by us at KilnHub.", "Kilns are fired by Stripe, not by KilnHub."),
        ("老房东搬走以后，新房东来修窑炉。", "新房东应当修好窑炉。"),
        ("The new owner approves the loan.", "The incoming owner approves the loan."),
        ("只有业主才能关窑。", "只有房主才能关窑。"),
        ("窑坏了由修理店来修好。", "修理者应当在三天内修好窑。"),
        ("窑费由图书馆承担。", "图书馆应当修窑；应当向读者出具记录，并承担窑费。"),
        ("由派出所的警察协助收窑。", "图书馆可以请求街道办事处督促收窑，公安机关应当协助。"),
        ("接着烧还是退钱，由您决定。", "图书馆搬家的，读者有权按照约定要求继续烧窑或者退钱。"),
        ("开窑的时辰由图书馆来挑。", "开窑时间由图书馆统一排定，读者按时到馆。"),
        ("开窑的时辰不由读者挑。", "开窑时间由图书馆统一排定，读者按时到馆。"),
    ],
)
def test_the_same_side_by_another_name_is_the_same_party(claim: str, quote: str) -> None:
    assert not names_another(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("用户要在两天内修复线路。", CABLES),
        ("线路由邻居在两天内修复。", CABLES),
        ("You inspect the boiler every year.", BOILERS),
        ("The landlord transfers you.", "The agent transfers the user."),
        ("学员收到异议后五天内处理。", GLAZES),
        ("押金由读者自己保管。", LOANS),
        ("读者在三天内退还押金。", LOANS),
        ("陶土由学员来检测。", "陶土由镇政府检测，学员应当配合。"),
        ("The police, who call you, confirm the order.", "The insurer will call you to confirm the order."),
        ("委托人要带上自己的证件。", "受托人要带上自己的证件，由馆员登记。"),
        ("费用由地接社退还。", "组团社应当退还费用。"),
        ("Report the loan to Finance.", "Report the loan to Legal."),
        ("法院判原告退还订金。", "法院判决被告退还原告订金。"),
        ("Only the library may end the loan.", "Either party may end the loan."),
        ("Readers must stamp every loan.", "Every loan is stamped by the library. Readers sign nothing."),
        ("借书由读者盖章。", "读者借书的，须由图书馆盖章。"),
        ("The kiln is switched on and you pay for it.", "The kiln is switched on at no cost to readers."),
        (
            "The library is responsible for cleaning the kilns.",
            "You are solely responsible for properly cleaning kilns.",
        ),
        ("The verdict is binding on readers but not on us.", "The verdict is binding on us but not on readers."),
        ("您可以要求调阅账本。", "影楼可以应房东的要求调阅账本。"),
        ("We erase the photo from the provider's kiln.", "The provider erases the photo. Users keep a copy."),
        ("图书馆来决定窑要不要接着烧。", "由读者确认是否继续烧窑。图书馆提前三天提示。"),
        (
            "The library vouches that the glaze is safe.",
            "You represent that the glaze is safe when you bring it to us.",
        ),
        ("If the mistake is on your side, a kiln is free.", "A kiln is free if something goes wrong on our side."),
        ("You have to switch the kiln on.", "If it is cold, you should enable the kiln for the user."),
        ("The kiln card is signed by the reader.", "The kiln card is signed by a representative of the library."),
        ("窑炉由新房东来修。", "老房东应当修好窑炉。"),
        ("The new owner approves the loan.", "The previous owner approves the loan."),
        ("窑费由市政府的部门制定。", "窑费由省人民政府主管部门制定。"),
        ("只有全馆管理员才能关窑。", "只有管理员助理才能关窑。"),
        ("Only senior readers can borrow the kiln.", "Only adult readers can borrow the kiln."),
        ("窑坏了由生产厂来修好。", "修理者应当在三天内修好窑。"),
        ("主播要赔您的陶罐。", "经营者应当赔偿消费者的陶罐。"),
        ("You get in touch with the owner.", "We will reach out to the owner."),
        ("窑费由 Kilnworks 承担。", "读者承担窑费。"),
        ("窑费由读者承担。", "图书馆应当修窑；应当向读者出具记录，并承担窑费。"),
        ("由街道办协助收窑。", "图书馆可以请求街道办事处督促收窑，公安机关应当协助。"),
        ("图书馆决定接着烧还是退钱。", "图书馆搬家的，读者有权按照约定要求继续烧窑或者退钱。"),
        ("开窑的时辰由读者来挑。", "开窑时间由图书馆统一排定，读者按时到馆。"),
        ("Kilns are lit by our readers.", "Kilns are fired by the council; readers watch."),
    ],
)
def test_another_side_is_another_party(claim: str, quote: str) -> None:
    assert names_another(claim, quote)
