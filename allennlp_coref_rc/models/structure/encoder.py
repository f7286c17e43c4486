from collections.abc import Sequence
from typing import Any, Optional

import torch
from allennlp.data import TextFieldTensors
from allennlp.modules.backbones import Backbone
from more_itertools import chunked
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.data.token_indexers.word_pieces import MINILM, load_encoder_part
from allennlp_coref_rc.modules.token_embedders.transformer_words import check_length
from allennlp_coref_rc.modules.windows import Window, windows

WINDOWS = 16
"""How many windows the transformer reads at once."""


def matrices_in_bfloat16(device: torch.device, wanted: Optional[bool] = None) -> torch.autocast:
    """
    A context in which matrices are multiplied in bfloat16 on a CPU, by default where it has instructions for it.
    (On a GPU, the trainer's `use_amp` decides.)
    """
    if wanted is None:
        # Releases before 2.7 may not have it.
        wanted = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)()
    return torch.autocast("cpu", torch.bfloat16, enabled=device.type == "cpu" and wanted)


@Backbone.register("structure_encoder")
class StructureEncoder(Backbone):
    """
    A pretrained transformer that reads texts of any length in windows, in linear time and memory. The vector
    of a word is the mean of those of its pieces; a word without pieces has zeros. Embeddings are frozen. By
    default all else is frozen too, and low-rank adapters are trained (Hu et al., 2021), by `peft`. What is
    frozen is not in saved weights.

    Registered as a `Backbone` with name "structure_encoder".

    # Parameters

    model_name : `str`, optional (default = `"sentence-transformers/all-MiniLM-L6-v2"`)
        A folder, or a name on the Hugging Face hub. The default is taken from the package of the extra
        `offline-encoder` where that is installed. The token indexer `word_pieces` needs the same.
    revision : `str`, optional (default = `None`)
        The revision on the hub.
    max_length : `int`, optional (default = `256`)
        How many pieces a window has at most, including special tokens.
    overlap : `int`, optional (default = `32`)
        How many pieces consecutive windows share at least.
    lora_rank : `int`, optional (default = `16`)
        The rank of the adapters of all linear layers. With 0 the layers themselves are trained.
    dropout : `float`, optional (default = `0.1`)
        Dropout of hidden vectors and of attention.
    layer_dropout : `float`, optional (default = `0.0`)
        How often, in training, a layer is left out for a group of windows (Fan et al., ICLR 2020).
    gradient_checkpointing : `bool`, optional (default = `False`)
        Compute each layer again for its gradients. Training takes a fifth longer, and a fraction of the memory:
        without it a document of 2,000 words needs more than a gigabyte.
    bfloat16 : `bool`, optional (default = `None`)
        Whether matrices are multiplied in bfloat16 on a CPU. By default where the CPU has instructions for
        it. (On a GPU, the trainer's `use_amp` decides.)
    """

    def __init__(
        self,
        model_name: str = MINILM,
        revision: Optional[str] = None,
        max_length: int = 256,
        overlap: int = 32,
        lora_rank: int = 16,
        dropout: float = 0.1,
        layer_dropout: float = 0.0,
        gradient_checkpointing: bool = False,
        bfloat16: Optional[bool] = None,
    ) -> None:
        from transformers import AutoConfig, AutoModel, AutoTokenizer

        super().__init__()
        config = load_encoder_part(AutoConfig, model_name, revision)
        for name, value in config.to_dict().items():
            if "dropout" in name and isinstance(value, float):
                setattr(config, name, dropout)
        # In training on a CPU, attention that is written out is faster.
        self.transformer = load_encoder_part(
            AutoModel, model_name, revision, config=config, attn_implementation="eager", dtype=torch.float32
        )
        if getattr(self.transformer, "pooler", None) is not None:
            self.transformer.pooler = None
        tokenizer = load_encoder_part(AutoTokenizer, model_name, revision)
        bare, whole = (tokenizer("a", add_special_tokens=special)["input_ids"] for special in (False, True))
        before = whole.index(bare[0])
        self._special = torch.tensor(whole[:before]), torch.tensor(whole[before + len(bare) :])
        self._padding = tokenizer.pad_token_id or 0
        self._room = max_length - len(whole) + len(bare)
        check_number("structure_encoder", "overlap", overlap, least=0)
        check_number(
            "structure_encoder", "max_length", max_length, least=overlap + max_length - self._room + 1
        )
        check_length(self.transformer, model_name, max_length, "structure_encoder")
        self._overlap = overlap
        self._layer_dropout = layer_dropout
        self._bfloat16 = bfloat16
        if gradient_checkpointing:
            self.transformer.gradient_checkpointing_enable({"use_reentrant": False})
        lists = (module for module in self.transformer.modules() if isinstance(module, nn.ModuleList))
        for layer in max(lists, key=len):
            layer.register_forward_hook(self._leave_out)
        if lora_rank:
            # Importing it takes seconds.
            import peft

            adapters = peft.LoraConfig(r=lora_rank, lora_alpha=2 * lora_rank, target_modules="all-linear")
            peft.inject_adapter_in_model(adapters, self.transformer)
        else:
            self.transformer.get_input_embeddings().requires_grad_(False)
        # Those of the model that the config names. A training may freeze others, which weights need.
        self._not_saved = {name for name, each in self.named_parameters() if not each.requires_grad}
        self.register_state_dict_post_hook(_drop_not_saved)
        self.register_load_state_dict_post_hook(_expect_no_more)

    def _leave_out(self, layer: nn.Module, inputs: tuple, output: Any) -> Any:
        if not self.training or not self._layer_dropout or torch.rand(()) >= self._layer_dropout:
            return output
        return (inputs[0], *output[1:]) if isinstance(output, tuple) else inputs[0]

    def get_output_dim(self) -> int:
        return self.transformer.config.hidden_size

    def merge(self) -> None:
        """Adds the adapters to the layers, once: predictions are faster, and the adapters can't be trained."""
        for module in list(self.transformer.modules()):
            if hasattr(module, "merge") and not module.merged:
                module.merge()

    def forward(self, words: TextFieldTensors) -> dict[str, Tensor]:  # type: ignore[override]
        """
        # Parameters

        words : `TextFieldTensors`
            Texts, with the token indexer `word_pieces` under the name "transformer".

        # Returns

        `encoded_text`, zeros for padding. *Shape:* (texts, words, size); and its mask `encoded_text_mask`.
        """
        tensors: Any = words["transformer"]
        ids, of_word, mask = tensors["token_ids"], tensors["word_of_piece"], tensors["mask"]
        lengths = (of_word > 0).sum(1).tolist()
        plan = [
            (row, window)
            for row, length in enumerate(lengths)
            if length
            for window in windows(length, self._room, self._overlap)
        ]
        # Windows of similar length are read together.
        plan.sort(key=lambda item: item[1].stop - item[1].start)
        vectors, places = [], []
        for group in chunked(plan, WINDOWS):
            hidden = self._read(ids, group)
            for (row, window), of_window in zip(group, hidden):
                first = len(self._special[0]) + window.first - window.start
                vectors.append(of_window[first : first + window.last - window.first])
                places.append(of_word[row, window.first : window.last] + row * (mask.size(1) + 1))
        sums = torch.zeros(mask.size(0) * (mask.size(1) + 1), self.get_output_dim(), device=mask.device)
        counts = sums.new_zeros(len(sums), 1)
        if plan:
            pieces, of_piece = torch.cat(vectors), torch.cat(places)
            sums = sums.index_add(0, of_piece, pieces)
            counts = counts.index_add(0, of_piece, pieces.new_ones(len(pieces), 1))
        means = (sums / counts.clamp(min=1)).view(mask.size(0), mask.size(1) + 1, -1)
        return {"encoded_text": means[:, 1:], "encoded_text_mask": mask}

    def _read(self, ids: Tensor, group: Sequence[tuple[int, Window]]) -> Tensor:
        """The vectors of the pieces of some windows, with special tokens. *Shape:* (windows, pieces, size)."""
        before, after = (special.to(ids.device) for special in self._special)
        rows = [torch.cat([before, ids[row, one.start : one.stop], after]) for row, one in group]
        mask = pad_sequence([torch.ones_like(row, dtype=torch.bool) for row in rows], batch_first=True)
        padded = pad_sequence(rows, batch_first=True, padding_value=self._padding)
        with matrices_in_bfloat16(ids.device, self._bfloat16):
            hidden = self.transformer(padded, attention_mask=mask.long()).last_hidden_state
        return hidden.float()


def _drop_not_saved(encoder: Any, state: dict[str, Any], prefix: str, _: Any) -> None:
    for name in encoder._not_saved:
        state.pop(prefix + name, None)


def _expect_no_more(encoder: Any, keys: Any) -> None:
    keys.missing_keys[:] = [key for key in keys.missing_keys if not key.endswith(tuple(encoder._not_saved))]
