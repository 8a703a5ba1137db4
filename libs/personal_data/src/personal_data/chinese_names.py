"""Recognises Chinese names where the words around say that a name stands there.

Source: the surnames are those of the classical Hundred Family Surnames (百家姓) and some newer ones.
"""

import re
from typing import Final

from personal_data.rule_recognizer import CHINESE, RuleRecognizer, Span

_SURNAMES: Final = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳"
    "酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞"
    "熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯昝管卢莫经房裘缪干解应宗丁宣贲邓"
    "郁单杭洪包诸左石崔吉钮龚程嵇邢滑裴陆荣翁荀羊於惠甄曲家封芮羿储靳汲邴糜松井段富巫乌焦巴弓牧隗山谷车侯宓蓬全郗班仰秋仲伊宫"
    "宁仇栾暴甘钭厉戎祖武符刘景詹束龙叶幸司韶郜黎蓟薄印宿白怀蒲邰从鄂索咸籍赖卓蔺屠蒙池乔阴郁胥能苍双闻莘党翟谭贡劳逄姬申扶堵"
    "冉宰郦雍却璩桑桂濮牛寿通边扈燕冀郏浦尚农温别庄晏柴瞿阎充慕连茹习宦艾鱼容向古易慎戈廖庾终暨居衡步都耿满弘匡国文寇广禄阙东"
    "欧殳沃利蔚越夔隆师巩厍聂晁勾敖融冷訾辛阚那简饶空曾毋沙乜养鞠须丰巢关蒯相查后荆红游竺权逯盖益桓公肖闫付佟覃苑帅代苟涂仝"
)
_COMPOUND: Final = "欧阳|司马|上官|诸葛|东方|皇甫|尉迟|公孙|慕容|长孙|宇文|司徒|令狐|夏侯|轩辕|端木|百里|呼延|南宫|独孤"
# Characters that given names are made of: they keep a noun after a surname's character from passing for a name.
_GIVEN: Final = (
    "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英兰凤洁梅琳素云莲真环雪荣爱妹香月莺媛瑞凡佳嘉琼勤珍贞莉婷宁蓓纨仪荷丹蓉眉君琴"
    "蕊薇菁梦岚苑婕馨瑗琰韵融园艺咏卿聪澜纯毓悦昭冰爽琬茗羽希欣飘育滢馥筠柔竹霭凝晓欢霄枫芸菲寒伊亚宜可姬舒影荔枝思飞红玲芬芝"
    "萍慧巧美娥彩春菊建国民志永林海山峰龙虎彪波斌辉浩宇轩博文武俊豪天翔鹏程华东南北晨阳光旭辰子涵梓雨雯诗琪怡然诚信鑫森淼焱垚森"
    "凯健康福禄寿喜财贵富荣祥庆安康玉珠宝金银铁钢柱栋梁材树根生兴旺昌盛发达广德义仁礼智勇忠孝廉立新中华卫东跃进学习书琦琛瑜瑾璇"
    "璐颖倩茜莎莹蕾薇楠桐桦柏松青翠碧蓝紫丁小大少老长春夏秋冬燕雁鸿鹤鹰凌云霖霜露雷震电帆航舟江河湖溪泉润泽沛涵源洲世元亨利贞启"
    "振宏弘毅恒远航逸帅家才艺良朋友善若兮宸皓睿煜烨炜灿炎炳焕照景曦晖晗昊昕晶莹盈依伶俐佩佑仙先进光克全兵冬冠力加劲勋化升卓占厚"
    "淑畅柳亮花敬峥岳雄钧锋锦锐铭铮键镇钰铃靖韬颂颜驰骏骁魁鲲麟黎瑶瑛珊珂珺璨瑄璟甜甫畴皎睦祺祯秉竣童笑筱箐绍绮绣绵维缘罡羡翊翎翰翱"
    "聆胤舜芃芊芷芮苇苓茵茹荟菀菡萌萱葵蕙蕴虹蝶衍裕诺谊谦谨豫豪贤赫越迅迎迪逊遥邦采锡闯闻阔隽集靓韧韶顺颀骥鸣鹃麒默满根保社四三五"
)
# Nouns that are made of such characters all the same.
_NOUNS: Final = """
    经理 单位 公司 商家 商户 商城 文件 后台 游客 国企 全体 全员 时间 干部 房东 房主 家属 居民 从业 步骤 安排
    计划 终端 管理 管家 通知 习惯 容量 广告 明确 成员 成年 包装 包裹 花费 诸位 万元 查询 农民 牧民 温馨
    幸运 司机 司法 蓝牙 党员 许可 通信 能力 关于 对于 由于 至于 属于 江苏 余额 任何 黄金 康复 常常 温暖
    安全 成功 全家 方才 高中 高达 和平 金银 金额 明文 关文 平安 应当 有关 国家 文书 广大 利益 何时 时长
    时光 通达 终生 程序 明细 全国 全天 高明 公民 公平 公安 公园 金卡 白金 石林 康宁 家长 家书 元月 单元
    平时 水利 水力 水电 古文 石化 华东 华南 华中 华北 江西 广东 山东 山西 云南 海南 河南 湖南 安康 金华
    温泉 都市 红利 阳光 红包 易发 高发 时发 和善 平台
"""
_NO_NAMES: Final = frozenset(_NOUNS.split())

# The most frequent surnames that hardly begin a noun, so that a name in running text is one.
_FREQUENT: Final = (
    "王李张刘陈杨赵黄周吴徐孙胡朱郭林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蔡蒋余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范廖韦贾夏付邹熊孟秦邱江尹薛闫"
    "段雷侯龙陶黎贺顾毛郝龚邵钱严覃武戴孔汤常康阎萧骆阮丘祝霍柯翟焦耿翁裴蓝乔赖庞樊兰殷施洪颜倪柳童俞鲁葛凌毕聂岳齐梅庄尚欧温芦季俞"
)

_NAME: Final = rf"(?:(?:{_COMPOUND})[\u4e00-\u9fff]{{1,2}}|[{_SURNAMES}][\u4e00-\u9fff]{{1,2}})"
_CAREFUL: Final = rf"(?:(?:{_COMPOUND}|阿)[{_GIVEN}]{{1,2}}|[{_SURNAMES}][{_GIVEN}]{{1,2}})"
_CERTAIN: Final = rf"(?:(?:{_COMPOUND})[{_GIVEN}]{{1,2}}|[{_FREQUENT}][{_GIVEN}]{{1,2}})"
_END: Final = (
    r"(?=[\s，。、；：:,.;！？!?（）()\[\]“”\"'|/]|$|先生|女士|小姐|的?(?:电话|手机|身份证|证件|邮箱|地址|住址|账户|账号|卡号|订单)"
    r"|反映|表示|来电|致电|投诉|住在?|联系|诉称|称)"
)
# After a label with a colon any name of the form stands. In running text it is careful after a word that a name nearly
# always follows, and certain after one that mostly other words follow.
_LABELLED: Final = re.compile(
    r"(?:姓名|名字|联系人|收件人|收货人|寄件人|投诉人|申请人|经办人|持卡人|开户人|户名|法定代表人|客户|会员|车主|负责人)(?:[ \t]*[：:]|[ ]\|)[ \t]*"
    rf"({_NAME}){_END}"
)
_INTRODUCED: Final = re.compile(
    r"(?:姓名|名字|名叫|我叫|我是|本人|叫做|户名|联系人|收件人|收货人|寄件人|投诉人|申请人|经办人|持卡人|开户人|机主|车主|户主|业主"
    rf"|(?<![改复同百])姓)(?:名?叫|是|为|名)?[ ]?({_CAREFUL}){_END}"
)
_MENTIONED: Final = re.compile(
    r"(?:顾客|客户|会员|用户|老人|老伴|父亲|母亲|丈夫|妻子|儿子|女儿|同事|朋友|经理|员工)(?:名?叫|是|为|名)?[ ]?"
    rf"({_CERTAIN}){_END}"
)
_TITLED: Final = re.compile(rf"((?:{_COMPOUND}|[{_FREQUENT}])[\u4e00-\u9fff]{{1,2}})(?=先生|女士|小姐)")
_PATTERNS: Final = (_LABELLED, _INTRODUCED, _MENTIONED, _TITLED)


def _name(match: re.Match[str]) -> Span | None:
    return None if match.group(1) in _NO_NAMES else match.span(1)


def chinese_name_recognizers() -> list[RuleRecognizer]:
    """Make the recognisers of this module."""
    return [RuleRecognizer("PERSON", pattern, _name, hint=CHINESE) for pattern in _PATTERNS]
