from collections import defaultdict

from allennlp.data import Token, Vocabulary

from allennlp_coref_rc.data.token_indexers import OovBucketIndexer


def vocabulary(indexer, words, **options):
    counter = defaultdict(lambda: defaultdict(int))
    for word in words:
        indexer.count_vocab_items(Token(word), counter)
    return Vocabulary(counter, **options)


def words_of(indexer, vocab, words):
    indices = indexer.tokens_to_indices([Token(word) for word in words], vocab)["tokens"]
    return [vocab.get_token_from_index(index) for index in indices]


def test_known_words_are_themselves_and_an_unknown_one_is_the_same_wherever_it_stands():
    indexer = OovBucketIndexer()
    vocab = vocabulary(indexer, ["Mary", "left"])
    assert vocab.get_vocab_size() == 2 + 2 + 100
    found = words_of(indexer, vocab, ["mary", "Zanzibar", "left", "zanzibar", "Ulm"])
    assert found[0] == "mary" and found[2] == "left"
    assert found[1] == found[3] and found[1].startswith("@unknown") and found[4].startswith("@unknown")
    assert found[1] != found[4]


def test_all_numbers_are_used():
    indexer = OovBucketIndexer(oov_buckets=7)
    vocab = vocabulary(indexer, ["a"])
    assert len(set(words_of(indexer, vocab, [f"word{i}" for i in range(200)]))) == 7


def test_they_survive_a_small_vocabulary():
    indexer = OovBucketIndexer(oov_buckets=5)
    vocab = vocabulary(indexer, ["a"] * 9 + ["b"], max_vocab_size=6, min_count={"tokens": 2})
    assert words_of(indexer, vocab, ["a", "b"])[0] == "a"
    assert words_of(indexer, vocab, ["b"])[0].startswith("@unknown")


def test_without_them_in_the_vocabulary_words_are_just_unknown():
    assert OovBucketIndexer().tokens_to_indices([Token("a")], Vocabulary())["tokens"] == [1]
