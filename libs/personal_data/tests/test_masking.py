"""Personal data goes, what a customer needs to read stays."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.tenants import PersonalDataKind
from personal_data.finding import KINDS
from personal_data.masking import mask, mask_source, paragraphs, tenant_key

_KEY = bytes(range(32))

_KEPT = (
    "客服热线 400-800-1234 或 95588，投诉 12315。",
    "服务电话：010-12345678，工作日 9:00-18:00。",
    "请写信到 support@shop.example 或 privacy-team@shop.example。",
    "订单号 15800002605 已发货。",
    "订单编号：4111111111111111。",
    "第二十一条 金额 1234567.89 元，自 2026-07-01 起。",
    "注册资本￥15800002605，存款 15800002605.00 元。",
    "家人👩\u200d👩\u200d👧可以一起退货☎️。",
    "退货请寄到公司仓库：浙江省杭州市余杭区文一西路969号3号楼。",
    "本公司注册地址为上海市浦东新区世纪大道100号。",
    "申请人应当在七日内提交材料，用户权益、客户安全由平台保障。",
    "会员金额以账单为准，客户成功团队会联系您。",
    "新HTTPS协议从 2026 年起使用，苏州的门店除外。",
    "My order number is 206-555-0293, tracking number is 4111111111111111.",
    "Order number 4111111111111111 ships in 7 days.",
    "See https://shop.example/a/15800002605?b=4111111111111111 now.",
    "图 tax-camper@2x.png",
    "身份证号 330106190002161491 的校验位不对。",
    "Tel: +44 20 7946 0958, or call +86 10 6552 9988.",
    "Call +1-800-555-0199 toll-free, or our support at 212-555-0143.",
    "Write to us at Shop Inc, 2045 W Grand Ave Suite 500, Chicago, IL 60612.",
    "I am happy to help. Name: Required. Dear Customer,",
    "Version 2.10.3.1 of 2026-07-01 11:34:35 costs 1,234,567.89 in 30 days.",
    "(客服|人工|负责人|经理|主管)",
    "Product name: Smart Watch, File name: Read Me",
    "Ship to: United States. Ship to 12 European Countries within 5 days.",
    "Best regards,\nThe Support Team",
    "Signed: Chief Executive Officer",
    "Ms. and Mr. are titles; Dr. too.",
    "ISBN 978-7-111-12345-6, 案号（2023）京01民终1234号",
)

_MASKED = (
    ("电话15800002605。", "电话[phone]。"),
    ("电话 +86 158 0000 2605。", "电话 [phone]。"),
    ("手机１５８００００２６０５收不到验证码", "手机[phone]收不到验证码"),
    ("我家里的座机是 0571-87654321。", "我家里的座机是 [phone]。"),
    ("Call +44 7911 123456 or 541-754-3010.", "Call [phone] or [phone]."),
    ("My new number is 0412 345 678.", "My new number is [phone]."),
    ("My number at home is +44 20 7946 0958.", "My number at home is [phone]."),
    ("Can someone call me on 9472 7916?", "Can someone call me on [phone]?"),
    ("Mobile: 03.93.92.16.85\nFax: 259.735.7502x459", "Mobile: [phone]\nFax: [phone]"),
    ("身份证330106190002161490，", "身份证[id-card]，"),
    ("身份证 330106 19000216 1490，", "身份证 [id-card]，"),
    ("电话158\u200b0000\u20602605", "电话[phone]"),
    ("call me at 1580000\u00ad2605", "call me at [phone]"),
    ("card 4111\u200d111111111111", "card [bank-card]"),
    ("ann.lee@shop\u200b.example", "[email]"),
    ("卡号6222 0000 0000 0004 386。", "卡号[bank-card]。"),
    ("card 4111-1111-1111-1111", "card [bank-card]"),
    ("my card 2223003122003222 is lost", "my card [bank-card] is lost"),
    ("My IBAN is GB82 WEST 1234 5698 7654 32.", "My IBAN is [iban]."),
    ("His SSN is 536-90-4399.", "His SSN is [social-security]."),
    ("mail me at li.lei@shop.example", "mail me at [email]"),
    ("发到li.lei@shop.example吧", "发到[email]吧"),
    ("service.zhou691@example.cn", "[email]"),
    ("护照号 E12345678 已过期", "护照号 [passport] 已过期"),
    ("my driver's license number is D1234567", "my driver's license number is [driver-licence]"),
    ("车牌京A12345的车主王小明反映", "车牌[plate]的车主[name]反映"),
    ("沪AD12345 停在门口", "[plate] 停在门口"),
    ("联系人：张伟，地址改成广东省深圳市南山区科技路12号3栋501室。", "联系人：[name]，地址改成[address]。"),
    ("我住北京市朝阳区望京西园三区305号楼1单元1201", "我住[address]"),
    ("住址：杭州市西湖区文三路 90 号", "住址：[address]"),
    ("粤b·12345 挡路了", "[plate] 挡路了"),
    ("我叫欧阳娜娜，请回电", "我叫[name]，请回电"),
    ("给李秀英女士退款", "给[name]女士退款"),
    ("My name is Jane Doe.", "My name is [name]."),
    ("Please ask Mrs. Anna K. Miller about it", "Please ask Mrs. [name] about it"),
    ("Name: Jane Doe\nPlan: basic", "Name: [name]\nPlan: basic"),
    ("- Name: Jane Doe | Phone: 503-555-0842 | Plan: basic", "- Name: [name] | Phone: [phone] | Plan: basic"),
    ("Jane's number (206-555-0293) is new", "Jane's number ([phone]) is new"),
    ("| 姓名 | 张三 | 上海 |", "| 姓名 | [name] | 上海 |"),
    ("Ship to: Anna Lee, 12 Elm St, Springfield, IL 62704", "Ship to: [name], [address]"),
    ("Deliver to 221B Baker Street, London", "Deliver to [address]"),
    ("Yours sincerely,\nAnna Lee", "Yours sincerely,\n[name]"),
    ("Signed by: Anna Lee, buyer", "Signed by: [name], buyer"),
    ("Ship it to 12 Elm Street Apt 4, Springfield, IL 62701 today", "Ship it to [address] today"),
    ("I live at 77 Mill Road, Cambridge", "I live at [address]"),
)

_VALUES = (
    "15800002605", "330106190002161490", "4111 1111 1111 1111", "li.lei@shop.example", "+44 7911 123456",
    "GB82WEST12345698765432", "京A12345", "541-754-3010",
)  # fmt: skip
_WORDS = (
    "电话",
    "，联系人",
    "我的卡号 ",
    "call me on ",
    "订单号 ",
    " 和 ",
    "。\n",
    "\n\n",
    "my address is ",
    "给",
    "先生",
)


@pytest.mark.parametrize("text", _KEPT)
def test_what_is_not_personal_stays(text: str) -> None:
    assert mask(text) == text


@pytest.mark.parametrize(("text", "expected"), _MASKED)
def test_personal_data_is_replaced_by_its_kind(text: str, expected: str) -> None:
    assert mask(text) == expected


@given(st.lists(st.sampled_from([*_KEPT, *_VALUES, *_WORDS, *(text for text, _ in _MASKED)]), max_size=6))
def test_a_masked_text_has_nothing_more_to_mask(pieces: list[str]) -> None:
    once = mask_source("".join(pieces), key=_KEY, allowed=frozenset())

    assert mask(once.text) == once.text


@given(st.lists(st.sampled_from([*_KEPT, *_VALUES, *_WORDS]), max_size=6))
def test_places_are_those_of_the_masks(pieces: list[str]) -> None:
    text = "".join(pieces)

    masked = mask_source(text, key=_KEY, allowed=frozenset())

    assert [masked.text[each.start : each.end] for each in masked.masks] == [f"[{each.kind}]" for each in masked.masks]
    assert [each.start for each in masked.masks] == sorted(each.start for each in masked.masks)
    assert masked.text == mask(text)


@given(
    st.sampled_from(_VALUES),
    st.text(alphabet="退货运费由谁承担，。 \n", max_size=30),
    st.text(alphabet="，。 \n", min_size=1, max_size=5),
)
def test_nothing_of_a_planted_value_remains(value: str, before: str, after: str) -> None:
    masked = mask(f"{before} {value}{after}")

    assert value not in masked
    assert re.search(r"\d", masked) is None


@given(st.text(max_size=200))
def test_any_text_is_masked_without_a_fault_and_parted_without_a_loss(text: str) -> None:
    masked = mask_source(text, key=_KEY, allowed=frozenset())

    assert "".join(paragraphs(text)) == text
    assert all(masked.text[each.start : each.end] == f"[{each.kind}]" for each in masked.masks)


def test_an_allowed_value_stays_and_another_goes() -> None:
    text = "电话15800002605，或 158-0000-2605，或15800002606。"
    (first, second, third) = mask_source(text, key=_KEY, allowed=frozenset()).masks

    masked = mask_source(text, key=_KEY, allowed=frozenset({first.value_hash}))

    assert first.value_hash == second.value_hash != third.value_hash
    assert masked.text == "电话15800002605，或 158-0000-2605，或[phone]。"
    assert [(each.kind, each.value_hash) for each in masked.masks] == [("phone", third.value_hash)]


def test_a_value_in_full_width_is_the_same_value_and_no_other() -> None:
    text = "手机：１５８００００２６０５。手机：１５８００００２６０６。手机：15800002605。"

    first, second, third = mask_source(text, key=_KEY, allowed=frozenset()).masks

    assert first.value_hash == third.value_hash != second.value_hash


def test_hashes_differ_by_key_tenant_and_kind() -> None:
    text = "手机15800002605"
    keys = [_KEY, tenant_key(_KEY, "a"), tenant_key(_KEY, "b")]

    hashes = {mask_source(text, key=key, allowed=frozenset()).masks[0].value_hash for key in keys}

    assert len(hashes) == 3
    assert all(re.fullmatch("[0-9a-f]{64}", each) for each in hashes)
    assert tenant_key(_KEY, "a") == keys[1]


def test_a_long_document_is_masked_as_its_paragraphs_are() -> None:
    parts = [text for text, _ in _MASKED] + list(_KEPT)

    assert mask("\n\n".join(parts)) == "\n\n".join(mask(part) for part in parts)


def test_several_threads_mask_alike() -> None:
    texts = [text for text, _ in _MASKED] * 4

    with ThreadPoolExecutor(4) as threads:
        masked = list(threads.map(mask, texts))

    assert masked == [expected for _, expected in _MASKED] * 4


def test_masking_opens_no_connection_even_in_a_fresh_process() -> None:
    program = """
import socket
def refuse(*_a, **_k):
    raise AssertionError("a connection was opened")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from personal_data.masking import mask
print(mask("Write to jane.doe@mail.example.co.uk, see http://www.example.co.uk/x, call +44 7911 123456."))
"""

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "Write to [email], see http://www.example.co.uk/x, call [phone].\n"


def test_a_process_that_masks_nothing_does_not_load_the_recognisers() -> None:
    program = "import sys, knowledge.pulse; print('spacy' in sys.modules, 'presidio_analyzer' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "False False\n"


def test_only_the_kinds_that_are_named_go() -> None:
    text = "卡号 4111111111111111，电话 13800138000。"

    assert mask(text, kinds=frozenset({"bank-card"})) == "卡号 [bank-card]，电话 13800138000。"
    assert mask(text, kinds=frozenset()) == text


def test_every_kind_that_a_tenant_may_name_is_one_that_is_found() -> None:
    assert set(get_args(PersonalDataKind)) == set(KINDS.values())
