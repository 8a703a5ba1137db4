"""Reads a word that no passage holds as what it means in the other language, where passages hold that.

Words of one script never meet those of another: a Chinese question about an English policy is found by similarity alone.
A few hundred words of policies carry most of what is asked about them. Like the reading of a slip, a translation may
find a passage and is no evidence for it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain
from typing import Final

from knowledge.ingestion.analyser import term_id, terms

# A meaning a line: English words, then Chinese ones. Words of one character are left out: they stand in too many others.
_MEANINGS: Final = """
refund reimburse: 退款
return: 退货
exchange: 换货 更换 交换
replace: 更换
cancel: 取消 解除
subscription subscribe: 订阅
invoice: 发票
receipt: 收据 凭证
bill: 账单 帐单
pay payment paid: 支付 付款
price: 价格
fee charge: 费用 收费
cost: 费用 成本
discount: 折扣 优惠
coupon voucher: 优惠券
tax: 税款 税务 税费
vat: 增值税
exempt: 免税 豁免
ship freight: 运费 发货
deliver delivery: 配送 交付 快递
courier express: 快递
parcel package: 包裹 快件
order: 订单
purchase buy: 购买
sell sale: 销售
seller merchant: 卖家 商家 经营者
operator: 经营者
consumer: 消费者
customer: 客户 顾客
user: 用户
member membership: 会员
account: 帐户 账户
password: 密码
login: 登录
email: 邮件 邮箱
phone telephone: 电话
address: 地址
privacy: 隐私
personal: 个人
information: 信息
data: 数据
consent: 同意
delete erase: 删除
export: 导出
backup: 备份
download: 下载
install: 安装
activate: 激活
device: 设备
software: 软件
license licence: 许可证 许可
copyright: 版权 著作权
trademark: 商标
agreement: 协议
contract: 合同
term: 条款
policy: 政策 策略
law regulation: 法律 法规
warranty guarantee: 保修 保证
repair: 修理 维修
damage: 损坏 损害
defect: 缺陷
quality: 质量
compensate: 赔偿 补偿
liability liable: 责任
complain complaint: 投诉
appeal: 申诉 上诉
dispute: 争议 纠纷
mediation: 调解
arbitration: 仲裁
lawsuit litigation: 诉讼
court: 法院
fine penalty: 罚款 处罚
deadline: 期限 截止
extend extension: 延长
delay: 延误 延迟
expire expiry: 过期 到期
renew: 续订 续费
trial: 试用
free: 免费
upgrade: 升级
downgrade: 降级
suspend suspension: 暂停 中止
terminate: 终止
freeze frozen: 冻结
owner ownership: 所有者 业主
administrator admin: 管理员
partner: 合作伙伴
supplier vendor: 供应商
support: 支持
service: 服务
outage downtime: 中断 停机
security: 安全
safety: 安全
report: 举报 报告
abuse: 滥用
harassment: 骚扰
advertisement: 广告
content: 内容
platform: 平台
child children minor: 儿童 未成年人
school: 学校
education: 教育
nonprofit: 非营利
government: 政府
insurance: 保险
deposit: 押金 保证金 定金
balance: 余额
card: 卡片
credit: 信用 额度
bank: 银行
transfer: 转让 转移 转账
currency: 货币
prepaid: 预付
gift: 礼品
points reward: 积分 奖励
flight: 航班
baggage luggage: 行李
passenger: 乘客 旅客
ticket: 机票 票证
airline: 航空
hotel: 酒店
travel: 旅行 旅游
seat: 座位
booking reservation: 预订 预留
parking: 停车
property: 物业
rent lease: 租赁
employee worker: 员工 职工
employer: 用人单位
salary wage: 工资
inspect: 检查 检验
record: 记录
verify verification: 验证 核实
identity: 身份
notice notify notification: 通知
request: 请求 申请
apply application: 申请
approve: 批准 审批
refuse reject: 拒绝
change modify: 更改 修改 变更
add: 添加
remove: 移除
update: 更新
contact: 联系
number: 数量 号码
quantity: 数量
limit maximum: 限制
total: 总额
monthly: 每月
annual yearly: 每年 年度
domain: 域名
storage: 存储
network: 网络
internet: 互联网
telecom: 电信
plan: 计划 套餐
product: 产品 商品
goods: 商品
fraud: 欺诈
counterfeit fake: 假冒
organization company: 组织 公司 企业
country region: 国家 地区
discontinue: 停产
reimbursement: 报销
rebate: 返还
instalment: 分期
overdue: 逾期
interest: 利息
debt: 欠款 债务
wallet: 钱包
cash: 现金
cheque check: 支票
amount: 金额
item: 商品 物品
furniture: 家具
lamp lighting: 灯具
appliance: 家电 电器
adult: 成人 成年
brand: 品牌
shop store: 商店
review: 评价 评论
stock inventory: 库存
warehouse: 仓库
lost: 丢失
stolen: 被盗
breach: 泄露
signature: 签名 签收
proof evidence: 证据 证明
document: 文件 材料
photo picture: 照片 图片
video: 视频
age: 年龄
guardian parent: 监护人 家长
student: 学生
hospital: 医院
disease: 疾病
death deceased: 死亡
holiday: 节假日
language: 语言
website: 网站
browser: 浏览器
app application: 应用
server: 服务器
error: 错误
code: 代码
key: 密钥
spam: 垃圾
regulator authority: 监管 主管
"""


def translations(word_terms: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Give the terms that each of these may mean in the other language; those without are left out."""
    meant = _meant()
    return {term: meant[term] for term in word_terms if term in meant}


def spoken_as(word: str) -> str | None:
    """Give a word that people of the other language say for this one; None where the glossary has none.

    Unlike a term it is spelled as it is written.
    """
    return _spoken().get(word.casefold())


def known_translations(unknown: Iterable[str], held: Mapping[int, int]) -> dict[str, tuple[str, ...]]:
    """Give for each of these terms the translations that passages hold: `held` counts passages by the numbers of terms."""
    candidates = translations(unknown)
    known = {term: tuple(each for each in meant if held.get(term_id(each))) for term, meant in candidates.items()}
    return {term: meant for term, meant in known.items() if meant}


@cache
def _meant() -> Mapping[str, tuple[str, ...]]:
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for line in _MEANINGS.split("\n"):
        english, _, chinese = line.partition(":")
        stems, pairs = terms(english), _pairs(chinese)
        for one, others in chain(((stem, pairs) for stem in stems), ((pair, stems) for pair in pairs)):
            found[one].update(dict.fromkeys(others))
    return {term: tuple(meant) for term, meant in found.items()}


@cache
def _spoken() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for line in _MEANINGS.strip().split("\n"):
        english, chinese = (side.split() for side in line.split(":", 1))
        for one, other in ((english, chinese), (chinese, english)):
            for word in one:
                found.setdefault(word, other[0])
    return found


def _pairs(chinese: str) -> list[str]:
    return [term for term in terms(chinese) if len(term) > 1]
