"""Patches of `allennlp.interpret`."""

import functools
from typing import Any

from allennlp_coref_rc.common.wrapping import wrapping


@wrapping("_remove_one_token")
def keep_ignored_tokens(original: Any, _: None, args: Any, kwargs: Any) -> Any:
    """Keeps the tokens that input reduction is to ignore. AllenNLP compares tokens with texts."""
    instance, field, grads, ignore_tokens, *more = args
    ignored = [token for token in instance[field].tokens if str(token) in ignore_tokens]
    return original(instance, field, grads, ignored, *more)


def keep_embeddings_of_all_tokens(interpreters: Any) -> None:
    """
    Keeps the embeddings of all tokens for `simple-gradient`. AllenNLP takes the first of a batch twice, and
    so multiplied the gradients of all words by the embedding of the first word.
    """
    cls = interpreters.SaliencyInterpreter
    original = cls._aggregate_token_embeddings

    @functools.wraps(original)
    def aggregate(embeddings_list: list[Any], token_offsets: list[Any]) -> Any:
        batches = [vectors.unsqueeze(0) if vectors.dim() == 2 else vectors for vectors in embeddings_list]
        return original(batches, token_offsets)

    cls._aggregate_token_embeddings = staticmethod(aggregate)


@wrapping("SmoothGradient._smooth_grads")
def multiply_smooth_gradients(original: Any, interpreter: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    """
    Multiplies the gradients of `smooth-gradient` by the embeddings, as the other two interpreters do, before
    adding up their dimensions. Below a layer norm, as in a transformer, the gradients alone add up to 0 and
    rounding errors.
    """
    predictor = interpreter.predictor
    vectors: list[Any] = []
    handle = predictor.get_interpretable_layer().register_forward_hook(
        lambda module, inputs, output: vectors.append(output.detach().clone())
    )
    try:
        predictor.get_gradients(list(args))
    finally:
        handle.remove()
    return {
        name: gradient * of_input.cpu().numpy()
        for (name, gradient), of_input in zip(original(*args).items(), reversed(vectors))
    }
