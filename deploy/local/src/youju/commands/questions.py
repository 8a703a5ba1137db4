"""Ask a question from the terminal."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Final

import typer

from youju.addresses import customer_url
from youju.answer_text import PHRASES, Phrases, citation, refusal, sentence
from youju.asking import ask as ask_and_wait
from youju.asking import ask_streaming, guest
from youju.home import find_home
from youju.settings import settings_of
from youju.tenants import DEMO
from youju.trouble import Trouble
from youju_client.bodies import CitationView
from youju_client.client import asking
from youju_client.events import CompletedEvent, DeltaEvent, ErrorEvent, Event, MetadataEvent

# Scripts tell the three outcomes apart by these; 1 is a failure, as for every other command.
_ANSWERED: Final = 0
_REFUSED: Final = 3


def ask(
    question: Annotated[str, typer.Argument(help="What a customer would type.")],
    *,
    tenant: Annotated[str, typer.Option("--tenant", "-t", help="Whose policies answer.")] = DEMO,
    language: Annotated[str | None, typer.Option(help="zh or en; the question's own when left out.")] = None,
    as_of: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The day asked about.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the attempt as JSON.")] = False,
) -> None:
    """Ask, and print the answer with its citations; exits with 0 answered, 3 refused, 1 failed."""
    body = asking(question, language=language, as_of=as_of.date() if as_of is not None else None)
    with guest(customer_url(settings_of(find_home())), tenant) as client:
        if as_json:
            attempt = ask_and_wait(client, body)
            print(attempt.model_dump_json(indent=2))
            raise typer.Exit(_REFUSED if attempt.refused else _ANSWERED)
        raise typer.Exit(follow(ask_streaming(client, body)))


def follow(events: Iterable[Event]) -> int:
    """Print an attempt as it arrives, in the language its metadata names, and return the exit status.

    Errors: Trouble when the attempt fails, which also takes back what was printed before, or the stream ends early.
    """
    cited: list[CitationView] = []
    held: list[str] = []
    phrases = PHRASES["en"]
    for event in events:
        match event:
            case MetadataEvent():
                phrases = PHRASES.get(event.language, PHRASES["en"])
            case DeltaEvent():
                held.append(sentence(event.text, event.kind, event.citations))
                cited.extend(event.new_citations)
                if event.kind != "template":
                    _print_all(held)
            case CompletedEvent():
                return _close(event, held, cited, phrases)
            case ErrorEvent():
                raise Trouble(phrases.failed.format(event.message), details=_taken_back(cited, phrases))
            case _:
                continue
    raise Trouble(phrases.cut_short, details=_taken_back(cited, phrases))


def _print_all(held: list[str]) -> None:
    """Print what was held back: a lead-in alone may still turn out to be a refusal."""
    print("\n".join(held), flush=True)
    held.clear()


def _close(event: CompletedEvent, held: list[str], cited: list[CitationView], phrases: Phrases) -> int:
    if event.refused:
        print("\n".join(refusal(event, phrases)))
        return _REFUSED
    if held:
        _print_all(held)
    print()
    for view in cited:
        print("\n".join(citation(view, phrases)))
    return _ANSWERED


def _taken_back(cited: list[CitationView], phrases: Phrases) -> tuple[str, ...]:
    return (phrases.taken_back,) if cited else ()
