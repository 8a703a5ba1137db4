"""Knows which English words of customers and of policies mean the same, where one is said for the other.

Forms of a word that the analyser does not bring together are such words too. Only what a question finds in a text is
read so. It is no evidence, and nothing that is claimed is checked by it: a warranty and a guarantee are one thing to
whoever asks, and two to a lawyer.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from knowledge.answering.wording import terms_of

# Words with one meaning a line, each in its ground form: the analyser reads the others as these.
_SAME: Final = """
abroad overseas international foreign worldwide country countries
accept take allow permit
account profile
address location
agreement contract terms
amount sum
available offered possible
bear pay cover
begin start commence
bill invoice
break fault defect damage
business company commercial organization
buy purchase order
buyer customer client consumer purchaser
cancel terminate end
change modify amend
charge fee cost price
close delete terminate
complain complaint
coupon voucher
delivery shipping shipment freight postage dispatch
deliver ship send dispatch
discount reduction rebate
employee staff worker
error mistake wrong
exchange replace swap
expire lapse valid validity
forbid ban prohibit
goods item product merchandise article
guarantee warranty
help support assistance
information data details
instalment installment
job employment
keep retain store
late delayed overdue
law legislation statute
limit maximum cap most
log sign
luggage baggage bag
mend repair fix
minimum least
money payment refund
month monthly
notify inform tell notice
open unseal
package parcel
password passcode
period window term time duration
phone telephone mobile
plan subscription package
postpone delay defer
prove proof evidence document
pupil student
receipt invoice
refund reimburse reimbursement repay
reject refuse decline deny
renew extend prolong
rent lease
reply respond answer response
return returnable
rule policy regulation
seller merchant shop store vendor
share disclose
speed fast quick
stay remain
suspend pause
talk chat speak
tax vat
ticket fare
travel trip journey
trial test
update modify
vehicle car
wage salary
wait queue
year yearly annual
custom customise customize personalise personalize bespoke
issue reissue
become became
begin began begun
break broke broken
bring brought
buy bought
choose chose chosen
find found
forget forgot forgotten
freeze froze frozen
give gave given
hold held
keep kept
leave left
lend lent
lose lost loss
pay paid
sell sold sale
send sent
speak spoke spoken
spend spent
steal stole stolen theft
tell told
throw threw thrown
wear wore worn
win won
withdraw withdrew withdrawn
write wrote written
"""


def with_same(wanted: Iterable[str], carried: frozenset[str]) -> frozenset[str]:
    """Give what a text carries, together with those of the wanted terms for which it says another word."""
    same = _same()
    return carried.union(term for term in wanted if not carried.isdisjoint(same.get(term, ())))


@cache
def _same() -> Mapping[str, frozenset[str]]:
    meanings: dict[str, frozenset[str]] = {}
    for line in filter(None, _SAME.splitlines()):
        together = terms_of(line)
        for term in together:
            meanings[term] = meanings.get(term, frozenset()) | together
    return meanings
