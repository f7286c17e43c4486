"""
Tiny pretrained transformers: folders that hold what the Hugging Face hub has of a model, with random weights
and a tokenizer trained on a few sentences.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sentencepiece
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

SENTENCES = [
    "Mary went to the kitchen and she took the football there.",
    "John moved to the garden because Mary had left it, so he slept.",
    "The journalist, who travelled to the cinema, discarded an apple.",
    "Where is the football? Is it in the hallway?",
    "Neither a nor b is there: a b a b a b.",
] * 5

HIDDEN_SIZE, LAYERS, MAX_LENGTH = 8, 2, 64

SIZES: dict[str, Any] = {
    "hidden_size": HIDDEN_SIZE,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 2,
    "intermediate_size": 12,
    "initializer_range": 0.5,
    "max_position_embeddings": MAX_LENGTH,
}


def bert(folder: Path, sizes: dict[str, Any]) -> None:
    """As `bert-base-uncased`: word pieces."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    # Made by hand: the pieces that a trainer finds differ from process to process.
    words = sorted(set(re.findall(r"\w+|[^\w\s]", " ".join(SENTENCES).lower())))
    letters = sorted(set("".join(words)))
    parts = [part for word in words for part in (word[:3], f"##{word[3:]}") if part != "##"]
    vocabulary = list(
        dict.fromkeys([*special, *letters, *(f"##{letter}" for letter in letters), *parts, *words[::2]])
    )
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    config = transformers.BertConfig(vocab_size=len(vocabulary), **sizes)
    transformers.BertModel(config).save_pretrained(folder)


def roberta(folder: Path, sizes: dict[str, Any]) -> None:
    """As `roberta-base`: pieces of bytes; positions begin after that of padding."""
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = _byte_level(special)
    tokenizer.model.save(str(folder))
    files = str(folder / "vocab.json"), str(folder / "merges.txt")
    transformers.RobertaTokenizerFast(*files).save_pretrained(folder)
    config = transformers.RobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        type_vocab_size=1,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        **{**sizes, "max_position_embeddings": sizes["max_position_embeddings"] + 2},
    )
    transformers.RobertaModel(config).save_pretrained(folder)


def deberta(folder: Path, sizes: dict[str, Any]) -> None:
    """As `microsoft/deberta-v3-base`: a SentencePiece model alone, and weights as PyTorch's own file."""
    text = folder / "sentences.txt"
    text.write_text("\n".join(SENTENCES))
    sentencepiece.SentencePieceTrainer.train(
        input=str(text),
        model_prefix=str(folder / "spm"),
        vocab_size=90,
        pad_id=0,
        bos_id=1,
        eos_id=2,
        unk_id=3,
        pad_piece="[PAD]",
        bos_piece="[CLS]",
        eos_piece="[SEP]",
        unk_piece="[UNK]",
        hard_vocab_limit=False,
        minloglevel=2,
    )
    kind = {"do_lower_case": False, "vocab_type": "spm", "tokenizer_class": "DebertaV2Tokenizer"}
    (folder / "tokenizer_config.json").write_text(json.dumps(kind))
    config = transformers.DebertaV2Config(
        vocab_size=96,
        type_vocab_size=0,
        relative_attention=True,
        position_buckets=8,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        position_biased_input=False,
        **sizes,
    )
    transformers.DebertaV2Model(config).save_pretrained(folder, safe_serialization=False)


def modernbert(folder: Path, sizes: dict[str, Any]) -> None:
    """As `answerdotai/ModernBERT-base`: pieces of bytes, and a tokenizer that is one file."""
    special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    tokenizer = _byte_level(special)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")],
    )
    names = {f"{token[1:-1].lower()}_token": token for token in special}
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_input_names=["input_ids", "attention_mask"], **names
    ).save_pretrained(folder)
    config = transformers.ModernBertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        local_attention=8,
        pad_token_id=tokenizer.token_to_id("[PAD]"),
        cls_token_id=tokenizer.token_to_id("[CLS]"),
        sep_token_id=tokenizer.token_to_id("[SEP]"),
        **sizes,
    )
    transformers.ModernBertModel(config).save_pretrained(folder)


ARCHITECTURES: dict[str, Callable[[Path, dict[str, Any]], None]] = {
    function.__name__: function for function in (bert, roberta, deberta, modernbert)
}


def make(architecture: str, folder: Path, **sizes: Any) -> str:
    """Writes a transformer, of other sizes than `SIZES` if given, into a new folder: its name."""
    folder.mkdir(parents=True)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        ARCHITECTURES[architecture](folder, {**SIZES, **sizes})
    return str(folder)


def word_tokenizer(folder: str) -> Any:
    """Takes each word as one within a sentence. From transformers 5 on, some ignore the option."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, add_prefix_space=True)
    if hasattr(tokenizer.backend_tokenizer.pre_tokenizer, "add_prefix_space"):
        tokenizer.backend_tokenizer.pre_tokenizer.add_prefix_space = True
    return tokenizer


def isolate_words(transformer: torch.nn.Module) -> None:
    """Leaves a transformer that sees neither neighbours nor positions: each piece has a vector of its own."""
    isolated = [
        torch.nn.init.zeros_(parameter)
        for name, parameter in transformer.named_parameters()
        if re.search(r"attention\.output\.dense|attn\.Wo|position_embeddings", name)
    ]
    assert len(isolated) >= LAYERS


def _byte_level(special: list) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=330, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    return tokenizer
