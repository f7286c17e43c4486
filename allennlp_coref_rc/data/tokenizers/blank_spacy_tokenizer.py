from allennlp.data.tokenizers import Token, Tokenizer

from allennlp_coref_rc.annotations.tokenization import split_words


@Tokenizer.register("blank_spacy")
class BlankSpacyTokenizer(Tokenizer):
    """
    Splits texts by spaCy's rules for a language: punctuation and clitics become tokens of their own, and
    white space is dropped. Unlike AllenNLP's `spacy`, it does not need a model that has to be downloaded.

    Registered as a `Tokenizer` with name "blank_spacy".

    # Parameters

    language_code : `str`, optional (default = `"en"`)
        The code of one of spaCy's languages.
    """

    def __init__(self, language_code: str = "en") -> None:
        self._language_code = language_code

    def tokenize(self, text: str) -> list[Token]:
        return [Token(word, idx=start) for word, start in split_words(text, self._language_code)]
