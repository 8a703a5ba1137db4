"""A call of a model is traced under the names of the conventions, and no text is in its span."""

from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from knowledge.adapters.breaker import Breaker
from knowledge.adapters.openai_endpoint import ModelPlace, OpenAiEndpoint
from knowledge.adapters.openai_writer import OpenAiWriter, Patience, Route
from knowledge.answering.briefing import make_brief
from knowledge.answering.draft import PartEvidence, WriterTroubleError
from tests.support.answering import make_context, make_passage
from tests.support.scripted_model import scripted_model

pytestmark = pytest.mark.unit

TEXT = "茶壶可以在9天内退回。"
CONTEXT = make_context(make_passage(TEXT), question="能退吗？")
EVIDENCE = PartEvidence(question_part="能退吗？", searched="能退吗？", found=CONTEXT.found, conditional=False)
BRIEF = make_brief("能退吗？", language="zh", context=CONTEXT, evidence=(EVIDENCE,), new_handle=lambda: "h1")


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    # The provider of a process can be set only once; a test needs one of its own.
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    yield exporter
    provider.shutdown()


async def write(behaviour: str) -> None:
    async with scripted_model() as (url, _):
        place = ModelPlace(
            base_url=url, model=behaviour, api_key=None, output_tokens=500, output_tokens_field="max_tokens",
            temperature=None, seconds=60.0,
        )  # fmt: skip
        route = Route(rank="primary", endpoint=OpenAiEndpoint(place), breaker=Breaker(seconds=lambda: 0.0), price=None)
        writer = OpenAiWriter((route,), patience=Patience(first_byte_seconds=60, whole_seconds=60, output_tokens=500))
        try:
            await writer.write(BRIEF)
        finally:
            await writer.close()


async def test_a_reply_is_traced_with_what_it_used(spans: InMemorySpanExporter) -> None:
    await write("honest")

    [span] = spans.get_finished_spans()
    assert (span.name, span.kind) == ("chat honest", trace.SpanKind.CLIENT)
    assert dict(span.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "honest",
        "gen_ai.request.max_tokens": 500,
        "gen_ai.usage.input_tokens": 900,
        "gen_ai.usage.output_tokens": 60,
        "gen_ai.response.finish_reasons": ("stop",),
    }


async def test_trouble_is_traced_by_its_kind_and_without_a_text(spans: InMemorySpanExporter) -> None:
    with pytest.raises(WriterTroubleError):
        await write("500")

    finished = spans.get_finished_spans()
    assert [dict(span.attributes or {})["error.type"] for span in finished] == ["failing", "failing"]
    assert all(not span.events and span.status.description is None for span in finished)
