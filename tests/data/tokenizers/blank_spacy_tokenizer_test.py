from allennlp_coref_rc.annotations import tokenization
from allennlp_coref_rc.data.tokenizers import BlankSpacyTokenizer


def test_memory_does_not_grow_with_every_word_that_was_ever_seen(monkeypatch):
    tokenizer = BlankSpacyTokenizer()
    start = len(tokenization._pipeline("en").vocab.strings)
    monkeypatch.setattr(tokenization, "MOST_STRINGS", start + 100)
    for i in range(200):
        expected = [f"Xyz{i}abc", "does", "n't", f"Q{i}", "."]
        tokens = tokenizer.tokenize(f"Xyz{i}abc doesn't Q{i}.")
        assert [token.text for token in tokens] == expected
        assert len(tokenization._pipeline("en").vocab.strings) < start + 120
