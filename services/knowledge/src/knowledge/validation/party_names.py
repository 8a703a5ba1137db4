"""Know the parties policies speak of, in both languages: who sells, buys, carries, decides, oversees."""

import re

from knowledge.validation.lexicon import compile_by_start

PARTIES: tuple[tuple[str, str], ...] = (
    ("payment company", r"(?:电子)?支付(?:服务提供者|机构|平台)|\bpayment\s(?:processors?|providers?)\b"),
    ("platform", r"(?:网络交易|电子商务|网络|第三方)?(?:交易)?平台(?:提供者|经营者|方)?(?!内|上|商家|卖家|店铺|[\u4e00-\u9fff]{0,3}内)|\b(?:platforms?|marketplace)\b"),
    ("lead agency", r"组团社"),
    ("local agency", r"地接社"),
    ("principal", r"委托[人方]"),
    ("proxy", r"受托[人方]|代办人|被?代理人|被委托人"),
    ("plaintiff", r"原告|\bplaintiffs?\b"),
    ("defendant", r"被告|\bdefendants?\b"),
    ("creditor", r"债权人|\bcreditors?\b"),
    ("debtor", r"债务人|\bdebtors?\b"),
    ("respondent", r"被(?:投诉|申请|举报)人|\brespondents?\b"),
    ("licensor", r"\blicensors?\b"),
    ("licensee", r"\blicensees?\b"),
    ("civil affairs office", r"民政(?:部门|局)"),
    ("township", r"街道办事处|街道办|乡镇(?:人民)?政府|镇政府"),
    ("legal office", r"\blegal\b(?=\s(?:in\swriting|department|team|first|each|every|has|must)|[.,;]|$)|法务(?:部门?)?"),
    ("finance office", r"\bfinance\b(?=\s(?:in\swriting|department|team|first|each|every|has|must)|[.,;]|$)|财务(?:部门?|处)"),
    ("court", r"(?:人民)?法院|法官|司法(?:机[关构])?|\bcourts?\b|\bjudges?\b"),
    ("arbitrator", r"仲裁(?:委员会|机构|庭)|\barbitrat(?:ors?|ion\spanel)\b"),
    ("postal authority", r"邮政管理(?:部门|局)"),
    ("postal company", r"邮政企业|邮局|\bpost\soffices?\b"),
    ("police", r"公安(?:机关|局|部门)?|执法机[关构]|警方|警察|\bpolice\b|\blaw\senforcement\b"),
    ("tax office", r"税务(?:机关|局|部门)|\b(?:tax\s(?:office|authorit(?:y|ies))|irs)\b"),
    ("customs", r"海关|\bcustoms\s(?:office|authorit(?:y|ies))\b"),
    ("authority", r"市场监(?:督管理|管)(?:部门|局)?|(?:行政|主管|监管|管理|监督|审批|执法|有关)部门|政府|\b(?:authorit(?:y|ies)|regulators?|government)\b"),
    ("consumer association", r"消费者(?:协会|委员会|权益保护委员会|组织)|消费者(?:合法)?权益的社会组织|消协|\bconsumer\sassociation\b"),
    ("bank", r"银行(?!卡|账户|帐户|转账)|金融机构|\bfinancial\sinstitutions?\b|\bbanks?\b(?!\s(?:transfer|account|card))"),
    ("insurer", r"保险公司|保险人|承保人|\binsurers?\b|\binsurance\s(?:company|provider)\b"),
    ("insured", r"投保人|被保险人|受益人|\binsured\b|\bpolicy\s?holders?\b"),
    ("airport", r"机场(?!费|接)|\bairports?\b(?!\s(?:transfer|tax|fee|shuttle|parking))"),
    ("transferee", r"受让人|受赠人|\btransferees?\b"),
    ("transferor", r"转让人|出让人|\btransferors?\b"),
    ("registry", r"登记机[关构]|\b(?:registry|registrars?)\b"),
    ("waiter", r"服务员|\b(?:waiters?|waitress(?:es)?)\b"),
    ("academic office", r"教务处|学生处"),
    ("service centre", r"(?:社区|便民|政务)?服务中心"),
    ("courier", r"骑手|配送员|外卖员|快递(?:公司|企业|员|服务企业|小哥)|经营快递业务的企业|承运[人商方]|物流(?:公司|商|方)?(?!信息|单|状态|服务|记录)|\b(?:couriers?|carriers?)(?:\scompan(?:y|ies))?\b"),
    ("property manager", r"物业(?:服务)?(?:企业|公司|服务人)|物业(?!费|服务费|管理费|使用人|区域|共用)"),
    ("owners", r"业主(?:大会|委员会)?|房主|车主|主人(?!公)|\b(?:home|property|house|flat)\s?owners?\b|\bowners?\b(?:'?\scommittees?\b)?"),
    ("organizer", r"主办方|主办单位|组织者|举办者|\borgani[sz]ers?\b|\bpromoters?\b"),
    ("coach", r"教练|老师|教师|讲师|导师|教授|\b(?:coach(?:es)?|teachers?|trainers?|instructors?|tutors?|lecturers?|professors?)\b"),
    ("landlord", r"出租人|房东|\blandlords?\b|\bhosts?\b|\blessors?\b"),
    ("tenant", r"承租人|租客|房客|租户|物业使用人|\b(?:tenants?|lessees?|renters?|occupants?)\b"),
    ("employer", r"用人单位|单位(?!价|元|时间|面积|内)|雇主|\bemployers?\b"),
    ("employee", r"劳动者|员工|职工|雇员|\b(?:employees?|staff|workers?)\b"),
    ("keeper", r"保管人"),
    ("depositor", r"寄存人"),
    ("sender", r"寄件人|发件人|托运人|汇款人|\bsenders?\b|\bshippers?\b|\bconsignors?\b"),
    ("recipient", r"收件人|收款人|收货人|\brecipients?\b|\baddressees?\b|\bconsignees?\b|\b(?:person|whoever)\s(?:\w+\s){0,3}addressed\sto\b"),
    ("guardian", r"监护人|家长|父母|爸妈|爹妈|\b(?:guardians?|parents?|m[uo]m\sand\sdad)\b"),
    ("manufacturer", r"生产者|工厂|制造商|生产商|生产厂家?|车厂|厂家|厂商|\b(?:manufacturers?|factory|factories)\b"),
    ("administrator", r"管理员|\b(?:administrators?|admins?)\b(?!\sfees?\b)"),
    ("ordinary member", r"普通(?:成员|用户|会员)|\bregular\s(?:members?|users?)\b"),
    ("billing contact", r"付款联系人|\bbilling\s(?:liaisons?|contacts?|managers?)\b"),
    ("account owner", r"账[户号]所有者|(?:帐|账)[户号](?:持有|所有)人|\baccount\s(?:owners?|holders?)\b"),
    ("public body", r"机关(?!单位)|机关单位|事业单位|\bpublic\sbod(?:y|ies)\b"),
    ("large company", r"大(?:型)?企业|\blarge\s(?:compan(?:y|ies)|enterprises?)\b"),
    ("small company", r"中小(?:微)?企业|小微企业|\bsmall\s(?:compan(?:y|ies)|business(?:es)?)\b"),
    ("restaurant", r"餐厅|饭店|餐馆|\brestaurants?\b"),
    ("operator", r"运营商|电信公司|\b(?:(?:network|telecom)\soperators?|telecom\scompany)\b"),
    ("cardholder", r"持卡人|\bcard\s?holders?\b"),
    ("travel agency", r"旅行社|\b(?:travel\sagenc(?:y|ies)|tour\soperators?)\b"),
    ("technician", r"安装人员|维修人员|师傅|\b(?:technicians?|engineers?)\b"),
    ("family", r"家人|亲属|家属|\b(?:family\smembers?|relatives)\b"),
    ("hospital", r"医院|医疗机构|\bhospitals?\b|\bdoctors?\b(?!'s\snote)"),
    ("school", r"学校|院校|\bschools?\b|\buniversit(?:y|ies)\b"),
    ("student", r"学生|学员|\bstudents?\b"),
    ("airline", r"航空公司|\bairlines?\b"),
    ("hotel", r"酒店|宾馆|\bhotels?\b"),
    ("sponsor", r"赞助者|赞助人|\bsponsors?\b"),
    ("advertiser", r"广告主|广告商|\badvertisers?\b"),
    ("contractor", r"承包[商人方]|\b(?:contractors?|freelancers?)\b"),
    ("dealer", r"经销商|代理商|分销商|加盟商|\b(?:dealers?|distributors?|resellers?|franchisees?)\b"),
    ("taxi driver", r"司机"),
    ("driver", r"\b(?:drivers?|hirers?)\b"),
    ("ombudsman", r"\bombuds\w+"),
    ("team", r"客服|\bcustomer\s(?:service|support|care)\b|专员|专人|工作人员|\b(?:teams?|(?:support\s|service\s|human\s)?agents?)\b"),
    ("neighbour", r"邻居|\bneighbou?rs?\b"),
    ("jury", r"评委|评审团|\bjur(?:y|ies)\b|\bjudging\spanel\b"),
    ("nurse", r"护士|\bnurses?\b"),
    ("vet", r"兽医|\bvets?\b|\bveterinar(?:y|ians?)\b"),
    ("council", r"居委会|村委会|居民委员会|村民委员会|\bcouncils?\b|\bcommittees?\b"),
    ("agent", r"中介(?!费|服务费)|经纪人|\b(?:estate|letting)\sagents?\b|\bbrokers?\b"),
    ("candidate", r"应聘者|求职者|候选人|\bcandidates?\b"),
    ("friend", r"朋友|\bfriends?\b"),
    ("lawyer", r"律师|\blawyers?\b|\bsolicitors?\b|\battorneys?\b"),
    ("notary", r"公证(?:处|机关)|\bnotar(?:y|ies)\b"),
    ("surveyor", r"定损员|评估师|鉴定人|\b(?:surveyors?|adjusters?|assessors?|appraisers?)\b"),
    ("cleaner", r"保洁员|清洁工|\bcleaners?\b"),
    ("guard", r"保安(?!公司)|门卫|\bguards?\b"),
    ("developer", r"开发商|建设单位|\b(?:property\s)?developers?\b"),
    ("lender", r"出借人|贷款人|\blenders?\b"),
    ("guarantor", r"担保人|保证人|\bguarantors?\b"),
    ("exhibitor", r"参展商|\bexhibitors?\b"),
    ("author", r"作者|\bauthors?\b"),
    ("publisher", r"出版社|出版方|杂志社|编辑部|\bpublishers?\b"),
    ("designer", r"设计师|\bdesigners?\b"),
    ("translator", r"译者|译员|\btranslators?\b|\binterpreters?\b"),
    ("photographer", r"摄影师|\bphotographers?\b"),
    ("venue", r"场地方|场馆(?!内)|\bvenues?\b"),
    ("subcontractor", r"分包商|分包人|\bsubcontractors?\b"),
    ("auditor", r"审计(?:师|机构)|\bauditors?\b"),
    ("mechanic", r"修理工|技师|\bmechanics?\b"),
    ("chef", r"厨师|\bchefs?\b|\bcaterers?\b"),
    ("kennel", r"寄养(?:方|店|机构)|\bkennels?\b|\bcatter(?:y|ies)\b"),
    ("union", r"工会|\btrade\sunions?\b"),
    ("spouse", r"配偶|\bspouses?\b|\bhusbands?\b|\bwi(?:fe|ves)\b"),
    ("pharmacist", r"药师|药店|\bpharmac(?:y|ies|ists?)\b"),
    ("presenter", r"主播|\b(?:streamers?|presenters?)\b"),
    ("department", r"部门"),
    ("house", r"我们?|本店|本公司|\b(?:we|us|our|ours|ourself|i|me|my)\b"),
    ("both", r"双方|各方|任何?一方|\b(?:either|both|each)\s(?:party|parties|sides?)\b"),
    ("third party", r"第三[方人者](?!平台)|\bthird[\s-]part(?:y|ies)\b(?!\s(?:apps?|applications?|software|(?:web)?sites?|tools?|links?|products?)\b)"),
    (
        "seller",
        r"商家|卖家|卖方|服务[商方]|供[货应][方商]|供方|(?:服务|信息)?(?:提供|处理)者|销售方|出卖人|提供方|出租方|经营者|服务商|(?:搬家|保洁|装修|旅游|租车|家政|中介|培训|保安)(?:公司|机构)|供[电水气热](?:企业|公司|部门)|(?:燃气|电力|热力|自来水|供暖|通信|网络|货运|快运|装饰)公司|(?:服务|维修)?网点|健身房|影楼|俱乐部|图书馆|店家|店铺|网店|商户|销售者|修理者|销售商|服务者|供应商|超市|公司方|\b(?:rental\scompany|the\scompany|sellers?|merchants?|retailers?|vendors?|shops?|stores?|suppliers?|providers?|traders?|workshops?|garages?|repairers?|facility|gyms?|librar(?:y|ies)|compan(?:y|ies))\b",
    ),
    (
        "buyer",
        r"消费者|买家|买方|买受人|需方|订购方|承租方|下单人|采购(?:人|方)|顾客|客户|用户|您|你们?|购买者|会员(?!费|积分|卡)|用[水电气热]户|居民|住户|读者|患者|观众|报名者|参加者|参与者|预订人|订票人|订户|申请人|投诉人|借款人|付款人|旅游者|游客|旅客|乘客|\b(?:buyers?|customers?|consumers?|users?|subscribers?|shoppers?|you|your|yours|yourself|purchasers?|clients?|passengers?|travell?ers?|guests?|members?|residents?|households?|participants?|attendees?|visitors?|patients?|borrowers?|applicants?|ticket\s?holders?|trainees?|readers?)\b",
    ),
)  # fmt: skip
# Who is told from each other: one in place of the other is another party, anywhere else another name.
_COUNTERPARTS = (
    ("lead agency", "local agency"),
    ("principal", "proxy"),
    ("plaintiff", "defendant"),
    ("creditor", "debtor"),
    ("licensor", "licensee"),
    ("civil affairs office", "township"),
    ("legal office", "finance office"),
)
COUNTERPART = dict(_COUNTERPARTS) | {other: one for one, other in _COUNTERPARTS} | {"respondent": "buyer"}

# Policies address their reader and speak of themselves, or leave both out: naming them adds nothing.
UNNAMED = frozenset({"department", "house", "buyer", "seller", "both", "team", "presenter"})

# A company named like GitHub speaks of itself.
COMPANY = compile_by_start(r"\b[A-Z]+[a-z]+[A-Z]\w*|(?<=由)\s?[A-Z][a-z]{3,}")

# Whom a policy may address as "you", and who may call itself "we".
_AS_BUYER = frozenset(
    {
        "candidate",
        "exhibitor",
        "author",
        "insured",
        "tenant",
        "employee",
        "depositor",
        "sender",
        "recipient",
        "guardian",
        "student",
        "account owner",
    }
    | {
        "sponsor",
        "driver",
        "dealer",
        "owners",
        "cardholder",
        "ordinary member",
        "administrator",
        "billing contact",
        "large company",
        "small company",
    }
)
_AS_SELLER = frozenset(
    {"landlord", "insurer", "courier", "property manager", "employer", "keeper", "hotel", "airline", "bank", "school"}
    | {
        "restaurant",
        "operator",
        "travel agency",
        "technician",
        "contractor",
        "dealer",
        "team",
        "publisher",
        "venue",
        "kennel",
        "organizer",
        "hospital",
    }
)
# Names that any business may have.
GENERAL = re.compile(
    r"^(?:经营者|服务者|(?:服务|信息)?(?:提供|处理)者|提供方|服务[商方]|销售者|销售[商方]|供应商|compan(?:y|ies)|providers?|suppliers?|traders?|the\scompany)$"
)

# A ticket is sold by an airline and a parcel taken by a courier: both carry.
SAME = tuple(
    map(
        frozenset,
        (
            ("airline", "courier"),
            ("owners", "account owner"),
            ("platform", "payment company"),
            ("township", "authority"),
            ("civil affairs office", "authority"),
            ("lead agency", "travel agency"),
            ("local agency", "travel agency"),
            ("plaintiff", "buyer"),
            ("defendant", "seller"),
            ("defendant", "house"),
            ("friend", "third party"),
            ("employee", "team"),
        ),
    )
)


# Whom 部门 may stand for.
_OFFICES = frozenset(
    {
        "authority",
        "police",
        "tax office",
        "customs",
        "postal authority",
        "registry",
        "public body",
        "house",
        "team",
        "civil affairs office",
        "township",
    }
)
# Whom the speaker of a policy may be.
_AS_HOUSE = _AS_SELLER | {"seller", "platform", "payment company", "postal company", "manufacturer", "agent", "coach"}


def may_be(claimed: str, quoted: str, *apart: frozenset[str]) -> bool:
    """Tell whether two names may mean one party: "you" for the tenant, "we" for the landlord.

    `apart` are the parties that the quotes themselves tell apart, and those that the claim does.
    """
    pair = frozenset({claimed, quoted})
    if quoted in (claimed, "both") or claimed in quoted.split(" & ") or ("department" in pair and pair & _OFFICES):
        return True
    if any(pair <= each for each in apart):
        return False
    return (
        pair in SAME
        or ("buyer" in pair and bool(pair & _AS_BUYER))
        or ("seller" in pair and bool(pair & _AS_SELLER))
        or ("house" in pair and bool(pair & _AS_HOUSE))
    )
