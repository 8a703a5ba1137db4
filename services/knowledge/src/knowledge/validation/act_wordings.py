"""Know the acts that somebody does or bears in a policy, in both languages, and the words around them."""

import re

from knowledge.validation.lexicon import make_lexicon
from knowledge.validation.party_names import PARTIES

# Acts where a swapped party does harm: bearing a cost or a burden, deciding, telling, giving up what is one's own.
ACTS: tuple[tuple[str, str], ...] = (
    (
        "bear",
        r"承担|负有(?=[^,。;]{0,6}责任)|负担|自理|自付|自费|(?:支付|(?<!预)付款)(?!的?[账帐][户号]|方式|时间|记录|凭证|页面|之?后|之日|时|日|成功|失败)|缴纳|交纳|垫付|出(?=运费|邮费|钱|费)|(?<=自己)[出掏付]|(?<=[家台户您们方用需必社店人司主行院校馆员])(?:来)?[出掏付](?![现示发租售门行入版生席国差境厂库货票借卖让口])|担着|\b(?:pays?|paid|paying|payable|bears?|borne|covers?|covered|cover\sthe\scost|foots?)\b|\bresponsible\sfor\s(?!(?:\w+ly\s)?\w+ing\b)|\bresponsibility\b|\bliable\b|\banswers?\sfor\b",
    ),
    ("cancel", r"\bterminat(?:e|es|ed|ing)\b|\bcancel(?:s|led|ed|ling)?\b|\bends?\sthe\b|取消|终止|解除"),
    (
        "decide",
        r"(?<!的)(?<!到)决定(?!书|之?后|[之的]日)|确认是否|有权(?=[^,。;]{0,14}(?:要求|请求)[^,。;]{1,14}或)|裁定|裁决|判定|说了算|做主|拍板|\bha(?:s|ve)\sthe\s(?:last|final)\s(?:word|say)\b|裁量|选择|选定|指定|挑选?|\bdecid\w*|\bdiscretion\b|\bsettl(?:e|es|ed|ing)\b|\bresolv(?:e|es|ed|ing)\b|\b(?:choos(?:e|es|ing)|chosen|chose|prefers?|picks?(?!\sup)|appoint(?:s|ed|ing)?|nominat(?:e|es|ed|ing)|selects?)\b",
    ),
    (
        "prove",
        r"举证|证明(?=其|自己|该|是|有|存在|不|没|无|瑕疵|商品)|\bprov(?:e|es|ing)\b|\bburden\sof\sproof\b|\bshows?\sthat\b",
    ),
    ("compensate", r"赔偿|赔付|赔|\bcompensat(?:e|es|ed|ing)\b|\bindemnif\w*|\breimburs(?:e|es|ed|ing)\b"),
    (
        "tell",
        r"(?<!的)通知|告知|通报|提醒|告诉|\bnotif(?:y|ies|ied|ying)\b|\binform(?:s|ed|ing)?\b|\btell(?:s|ing)?\b|\btold\b|\blets?\s(?=(?:the\s)?\w+\sknow\b)",
    ),
    ("share", r"共享|披露|泄露|出售|\b(?:shares?|discloses?|sells?)\b"),
    (
        "warrant",
        r"\b(?:represents?|warrants?|vouch\w*)\s(?:and\s\w+\s)?(?:that|for)\b|\b(?:gives?|offers?|grants?|provides?)\s(?:\w+\s){0,3}(?:warranty|guarantee)\b",
    ),
    ("delete", r"删除|\bdelet(?:e|es|ed|ing)\b|\beras(?:e|es|ed|ing)\b"),
    ("back up", r"备份|\bback(?:s|ed|ing)?\sup\b"),
    ("install", r"安装|\binstall(?:s|ed|ing)?\b"),
    ("be responsible", r"负责|\bresponsible\sfor\b(?=\s(?:\w+ly\s)?\w+ing\b)"),
    ("provide", r"提供|出具|\bprovid(?:e|es|ing)\b(?!\sthat)|\barrang(?:e|es|ing)\b|安排"),
    ("issue", r"开具|开票|\bissues?\b"),
    ("publish", r"公示|公告|公布|\bpublish(?:es|ed|ing)?\b"),
    ("approve", r"批准|审批|审核通过|同意|\bapprov(?:e|es|al)\b|\bconsents?\b|\bpermission\b"),
    ("overrule", r"推翻|\boverrul(?:e|es|ed|ing)\b"),
    (
        "write",
        r"填写|撰写|写(?![入字明])|\b(?:writes?|wrote)\b|\bleav(?:e|es|ing)\s(?:an?\s|the\s)?(?:\w+\s)?reviews?\b",
    ),
    ("repay", r"返还|退还|退(?=给)"),
    (
        "receive",
        r"拿到|获得|得到|领取|\b(?:gets?|receives?|entitled\sto)\b(?=[^,.;]{0,30}\b(?:compensation|refund|money|credit|voucher|payment|damages)\b)",
    ),
    ("investigate", r"调查|查处|查找|查明|纠正|责令|\binvestigat(?:e|es|ed|ing)\b"),
    ("inspect", r"验收|验货|检测|审核|年检|检修|\binspect(?:s|ed|ing|ion)?\b|\bsearch(?:es|ed|ing)?\b"),
    ("sign for", r"签收"),
    ("sign", r"签[字名署]|盖章|\bsign(?:s|ed|ing)?\b(?!\s(?:up|in|out|for|off|on))|\bsignatures?\b"),
    ("show", r"出示|\bpresents?\b"),
    ("release", r"\breleases?\b"),
    ("report", r"报告|上报|举报|报案|挂失|\breport(?:s|ed|ing)?\b"),
    (
        "submit",
        r"提交|递交|上传|\b(?:submit(?:s|ted|ting)?|lodg(?:e|es|ed|ing)|fil(?:e|es|ed|ing)|upload(?:s|ed|ing)?|hand(?:s|ed|ing)?\s(?:[a-z]+\s){0,3}in)\b",
    ),
    ("send back", r"寄回|退回(?!的)|\b(?:return(?:s|ed|ing)?|sen(?:d|ds|t|ding)\s(?:\w+\s){0,3}back)\b"),
    ("replace", r"更换|换新|换货|调换|\b(?:replac(?:e|es|ed|ing)|exchang(?:e|es|ed|ing)|swaps?)\b"),
    ("clean", r"清洁|打扫|清理|清洗|保洁(?!费|公司|员)|\bclean(?:s|ed|ing)?\b"),
    (
        "insure",
        r"投保|购买保险|买保险|\binsur(?:e|es|ed|ing)\b|\btak(?:e|es|ing)\sout\s(?:\w+\s)?(?:insurance|cover)\b",
    ),
    ("maintain", r"维护|保养|养护|\b(?:maintain(?:s|ed|ing)?|look(?:s|ing)?\safter|upkeep)\b"),
    ("pack", r"包装|打包|\bpack(?:s|ed|ing)?\b"),
    (
        "raise",
        r"上调|调价|调整价格|涨价|加价|提价|\b(?:rais(?:e|es|ed|ing)|increas(?:e|es|ed|ing)|puts?\sup)\b|\bchang(?:e|es|ed|ing)\s(?:\w+\s){0,2}prices?\b",
    ),
    (
        "change",
        r"修改|变更|更改|调整|\b(?:chang(?:e|es|ed|ing)|amend(?:s|ed|ing)?|modif(?:y|ies|ied|ying)|alter(?:s|ed|ing)?|adjust(?:s|ed|ing)?|vary)\b",
    ),
    (
        "suspend",
        r"暂停|冻结|封禁|中止|停用|停止|\b(?:suspend(?:s|ed|ing)?|block(?:s|ed|ing)?|freez(?:e|es|ing)|disconnect(?:s|ed|ing)?|cuts?\soff|bans?)\b",
    ),
    (
        "refuse",
        r"拒绝|驳回|拒收|\b(?:refus(?:e|es|ed|ing)|reject(?:s|ed|ing)?|declin(?:e|es|ed|ing)|turns?\sdown|deny|denies|denied)\b",
    ),
    ("accept", r"接受|认可|\baccept(?:s|ed|ing)?\b"),
    ("extend", r"延长|续期|续约|续租|\b(?:extend(?:s|ed|ing)?|renew(?:s|ed|ing)?|prolong(?:s|ed|ing)?)\b"),
    ("transfer", r"转让|转移|\b(?:transfer(?:s|red|ring)?|assign(?:s|ed|ing)?|hands?\sover)\b"),
    ("demand", r"主张|索赔|追偿|\b(?:demand(?:s|ed|ing)?|claim(?:s|ed|ing)?|insists?\son)\b"),
    ("withdraw", r"撤回|撤销|退出|\b(?:withdraw(?:s|ing)?|withdrew|revok(?:e|es|ed|ing)|pulls?\sout|opts?\sout)\b"),
    (
        "answer",
        r"答复|回复|回应|\b(?:respond(?:s|ed|ing)?|repl(?:y|ies|ied|ying)|answers?(?!\sfor)|acknowledg(?:e|es|ed|ing))\b",
    ),
    (
        "review",
        r"复核|复议|评估|评定|鉴定|\b(?:review(?:s|ed|ing)?|assess(?:es|ed|ing)?|evaluat(?:e|es|ed|ing)|examin(?:e|es|ed|ing)|checks?)\b",
    ),
    ("protect", r"保护(?!期)|保密|保障|\b(?:protect(?:s|ed|ing)?|secur(?:e|es|ing)|safeguards?)\b"),
    ("comply", r"遵守|\b(?:compl(?:y|ies|ied|ying)|abid(?:e|es|ing)|obeys?)\b"),
    (
        "remove",
        r"拆除|移除|清除|清运|拆卸|搬走|\b(?:remov(?:e|es|ed|ing)|dismantl(?:e|es|ed|ing)|dispos(?:e|es|ed|ing)|tak(?:e|es|ing)\sdown)\b",
    ),
    ("supervise", r"监督(?!下)|看管|看护|\b(?:supervis(?:e|es|ed|ing)|accompan(?:y|ies|ied|ying))\b"),
    ("book", r"预约|预订|\b(?:book(?:s|ed|ing)?|reserv(?:e|es|ed))\b"),
    ("set", r"制定|设定|定价|\b(?:sets?|fix(?:es|ed)?|determin(?:e|es|ed|ing)|lays?\sdown)\b"),
    ("store", r"保管|存放|寄存|\b(?:stor(?:e|es|ed|ing))\b(?=\s)"),
    ("grant", r"授权|授予|许可|\b(?:grant(?:s|ed|ing)?|licen[cs](?:e|es|ed|ing))\b"),
    ("close", r"关店|闭店|注销|\bclos(?:e|es|ed|ing)\b"),
    ("mediate", r"调解|协调|\bmediat(?:e|es|ed|ing)\b"),
    ("sue", r"起诉|诉讼|\b(?:su(?:e|es|ed|ing)|tak(?:e|es)\s(?:\w+\s){1,2}to\scourt)\b"),
    ("prepare", r"准备|备好|自备|\b(?:prepar(?:e|es|ed|ing)|suppl(?:y|ies|ied|ying))\b"),
    ("test", r"检定|测试|检验|\b(?:test(?:s|ed|ing)?|measur(?:e|es|ed|ing))\b"),
    ("move", r"搬运|装卸|装车|\b(?:load(?:s|ed|ing)?|unload(?:s|ed|ing)?|carry|carries|carried)\b"),
    (
        "fit",
        r"装修|施工|改造|\b(?:build(?:s|ing)?|built|construct(?:s|ed|ing)?|renovat(?:e|es|ed|ing)|paint(?:s|ed|ing)?)\b",
    ),
    ("train", r"培训|指导|\b(?:train(?:s|ed|ing)?|instruct(?:s|ed|ing)?)\b"),
    ("order", r"下单|订购|\bplac(?:e|es|ed|ing)\s(?:an\s|the\s)?orders?\b"),
    (
        "switch on",
        r"开启|启用|开通|\b(?:enabl(?:e|es|ed|ing)|activat(?:e|es|ed|ing)|(?:turn|switch)(?:s|es|ed|ing)?\s(?:\w+\s){0,3}?on)\b",
    ),
    ("restart", r"重启|\b(?:reboot|restart)(?:s|ed|ing)?\b"),
    ("assist", r"协助|\bassist(?:s|ed|ing)?\b"),
    ("urge", r"督促|\burg(?:e|es|ed|ing)\b"),
    ("attend", r"到场|在场|出席|\b(?:attend(?:s|ed|ing)?|be\spresent)\b"),
    ("register", r"注册|登记|备案|\bregister(?:s|ed|ing)?\b"),
    ("access", r"查看|查阅|访问|\b(?:access(?:es|ed|ing)?|view(?:s|ed|ing)?)\b"),
    ("forward", r"转送|转达|转交|\b(?:forwards?|pass(?:es|ed|ing)?\s(?:\w+\s){0,5}?on)\b"),
    ("object", r"提出异议|\bobjects?\sto\b"),
    (
        "deliver",
        r"配送(?!费|员|范围|时)|送货|发货|寄出|送到|\b(?:deliver(?:s|ed|ing)?|ship(?:s|ped|ping)?(?!\s(?:cost|fee|charge)s?)|dispatch(?:es|ed|ing)?)\b",
    ),
    (
        "repair",
        r"维修(?!费|人|点|站|费用|期|记录)|修理(?!费)|修好|\brepair(?:s|ed|ing)?\s(?=the\b|it\b|your\b|any\b)|\brepair(?:ed|ing)\b|\bfix(?:es|ing)?\b",
    ),
    (
        "keep",
        r"扣留|扣除|扣掉|没收|\b(?:retain(?:s|ed|ing)?|keep(?:s|ing)?|kept|withh(?:old|olds|eld|olding)|deduct(?:s|ed|ing)?)\b",
    ),
    ("collect", r"上门(?:回收|取件|收)|\b(?:collect(?:s|ed|ing)?|pick(?:s|ed|ing)?\s(?:\w+\s){0,2}up)\b"),
    ("bring", r"自带|携带|\b(?:bring(?:s|ing)?|brought|carr(?:y|ies)\son)\b"),
    (
        "contact",
        r"联系(?!方式|电话|人)|致电|拨打|找(?![到零回不])|\b(?:contact(?:s|ed|ing)?|call(?:s|ed|ing)?|phon(?:e|es|ed|ing)|ring(?:s|ing)?|get(?:s|ting)?\sin\stouch|reach(?:es|ed|ing)?\sout)\b",
    ),
    ("appeal", r"申诉|上诉|\bappeal(?:s|ed|ing)?\b"),
    (
        "handle",
        r"办理|代办|受理|处理(?!费)|\b(?:handl(?:e|es|ed|ing)|process(?:es|ed|ing)?|deal(?:s|ing)?\swith|sort(?:s|ed|ing)?\s(?:\w+\s)?out)\b",
    ),
    ("confirm", r"确认|核实|\bconfirm(?:s|ed|ing)?\b|\bverif(?:y|ies|ied|ying)\b"),
)
# Who charges does not pay: whom it is charged to does.
_CHARGE = r"收取|加收|另收|计收|\bcharg(?:e|es|ed|ing)\b(?!\sof)|\binvoic(?:e|es|ed)\s(?=you|the)|\bbill(?:s|ed)\b"
_FREE = r"包邮|免(?:收|费|运费|邮费|邮)|不收|\bfree\sof\scharge\b|\b(?:at\sno|without)\s(?:any\s|additional\s|extra\s)?(?:cost|charge)\b"
_WHOSE = r"at\s(?:the\s)?(?:%s)(?:'s|s')?\s(?:own\s)?(?:expense|cost)\b|(?:is|are|be|falls?)\s(?:all\s)?on\s(?:the\s)?(?:%s)\b(?!\s(?:side|end)\b)|up\sto\s(?:the\s)?(?:%s)\sto\s(?:pay|cover)\b"
LEXICON = make_lexicon(
    (
        ("at buyer's cost", _WHOSE % (("your|you|buyer|customer|consumer",) * 3)),
        ("at seller's cost", _WHOSE % (("our|us|seller|merchant|shop",) * 3)),
        ("at own cost", r"(?:at\s)?(?:its|their)\sown\s(?:expense|cost)\b"),
        ("buyer's own", r"(?:remains?|stays?|becomes?|is|are|be)\syours\b"),
        ("seller's own", r"(?:remains?|stays?|becomes?|is|are|be)\sours\b"),
        (
            "own",
            r"(?:becomes?|is|are|remains?)\sthe\s(?:sole\s)?owners?\b|owns?\b|(?:keeps?|retains?)\s(?:the\s)?(?:full\s|sole\s)?ownership\b",
        ),
        ("owned", r"belongs?\sto\b|owned\sby\b|property\sof\b|归(?=[^还类零]{1,6}所有)|属于"),
        *PARTIES,
        ("charge", _CHARGE),
        ("free", _FREE),
        *((f"to {act}", pattern) for act, pattern in ACTS),
        ("object", r"向|对(?!方)|去(?=[^年除掉世,。]{2})|给|从|到|至|替|to\b|for\b|from\b|with\b|与|跟|同"),
        (
            "request",
            r"判(?:决|令)?(?=[^断定别])|要求|请求(?![后时之的,。])|申请|邀请|聘请|recommends?\b|advis(?:e|es)\b|suggests?\b|asks?\b|requests?\b|(?:has|have)\b(?=\s(?:you|the|us|your|our)\b)",
        ),
        ("stop", r"谁|才能|方可|才可|(?:他|她|它)们?(?!人)|对方|由(?=[^于此,]{2})"),
        (
            "he",
            r"(?:they|he|she)\b|it\b(?=\s(?:has|must|will|may|can|cannot|shall|should|won't|can't)\b(?!\s(?:be|take|been)\b))",
        ),
        ("who", r"who\b(?!\s(?:is|are)\b)"),
        ("please", r"请(?!假|款|示|求)|please\b"),
    )
)
TOKEN = re.compile(rf"{LEXICON.source}|(?P<stop>[.;。；!?！？\n])")
PARTY_NAMES = frozenset(name for name, _ in PARTIES)
ACT_NAMES = {f"to {act}": act for act, _ in ACTS} | {"own": "own"}
SETTLED = {
    "at buyer's cost": ("bear", "buyer"),
    "at seller's cost": ("bear", "house"),
    "buyer's own": ("own", "buyer"),
    "seller's own": ("own", "house"),
}

# What somebody has of these, he does: "the owner's responsibility", 经营者的同意.
POSSESSED: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("bear", re.compile(r"(?:'s?|s')?\s(?:own\s)?(?:expense|cost|pocket)\b|的费用")),
    ("bear", re.compile(r"(?:'s?|s')?\s(?:own\s)?(?:responsibility|duty|job|task|liability)\b|的(?:责任|义务)")),
    (
        "decide",
        re.compile(
            r"(?:'s?|s')?\s(?:own\s)?(?:(?:sole|absolute)\s)?(?:decision|discretion|call)\b|的(?:决定|判定|裁定|意见|解释|认定)(?=为准|$|[,;。为])"
        ),
    ),
    ("decide", re.compile(r"(?:'s?|s')?\s(?:own\s)?(?:choice|option|choosing)\b|的选择")),
    (
        "approve",
        re.compile(
            r"(?:'s?|s')?\s(?:prior\s|written\s|express\s|own\s)*(?:consent|approval|permission)\b|的(?:书面|明确|单独)?(?:同意|许可)"
        ),
    ),
    ("be at fault", re.compile(r"(?:'s?|s')?\s(?:own\s)?(?:side|end|fault)\b")),
    ("warrant", re.compile(r"(?:'s?|s')?\s(?:own\s)?(?:warranty|guarantee)\b|的(?:保修|质保)")),
)
