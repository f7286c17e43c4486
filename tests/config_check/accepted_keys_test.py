from typing import Any

import pytest
from allennlp.common import Registrable
from allennlp.common.from_params import infer_constructor_params
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from allennlp_coref_rc.allennlp_runtime.lazy_registry import register_allennlp_models, register_own
from allennlp_coref_rc.config_check.accepted_keys import accepted_keys
from allennlp_coref_rc.data.dataset_readers import AnnotatedBabiReader


class Base(Registrable):
    def __init__(self, base: int = 0) -> None:
        pass


class HandsOn(Base):
    def __init__(self, own: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)


class HandsOnInTheOldWay(HandsOn):
    def __init__(self, older: int, **kwargs: Any) -> None:
        super(HandsOnInTheOldWay, self).__init__(3, **kwargs)


class LooksUp(Base):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(kwargs.pop("first", 0) if "second" in kwargs else kwargs["third"])


class DoesMore(Base):
    def __init__(self, own: int, **kwargs: Any) -> None:
        super().__init__()
        self.values = dict(kwargs)


class PassesOver(Base):
    def __init__(self, own: int, **kwargs: Any) -> None:
        super().__init__()


class WithConstructor(HandsOn):
    @classmethod
    def create(cls, created: int, **kwargs: Any) -> "WithConstructor":
        return cls(**kwargs)


@pytest.mark.parametrize(
    "cls, names, closed",
    [
        (Base, {"base"}, True),
        (HandsOn, {"own", "base"}, True),
        (HandsOnInTheOldWay, {"older", "own", "base"}, True),
        (LooksUp, {"base", "first", "second", "third"}, True),
        (DoesMore, {"own", "base"}, False),
        (PassesOver, {"own", "base"}, False),
    ],
)
def test_keys_of_a_class(cls, names, closed):
    accepted = accepted_keys(cls, cls.__init__)
    assert (set(accepted.parameters), accepted.closed) == (names, closed)


def test_keys_of_a_class_method_that_is_registered():
    accepted = accepted_keys(WithConstructor, WithConstructor.create)
    assert (set(accepted.parameters), accepted.closed) == ({"created", "own", "base"}, True)


def test_a_function_without_source_may_take_anything():
    names = {"HandsOn": HandsOn}
    exec("class Hidden(HandsOn):\n  def __init__(self, **kwargs): super().__init__(**kwargs)", names)
    accepted = accepted_keys(names["Hidden"], names["Hidden"].__init__)
    assert (set(accepted.parameters), accepted.closed) == ({"own", "base"}, False)


def test_readers_hand_on_to_allennlp():
    accepted = accepted_keys(AnnotatedBabiReader, AnnotatedBabiReader.__init__)
    assert {"folder", "annotation_layers", "max_instances"} <= set(accepted.parameters) and accepted.closed


def test_the_trainer_takes_what_its_constructors_take_and_look_for():
    accepted = accepted_keys(GradientDescentTrainer, GradientDescentTrainer.from_partial_objects)
    assert {"num_epochs", "run_sanity_checks", "ddp_wrapped_model"} <= set(accepted.parameters) and accepted.closed


def test_a_parent_of_the_same_name_is_another_class():
    """AllenNLP's `Module` and PyTorch's are such."""

    class Same(Base):
        def __init__(self, older: int = 0, **kwargs: Any) -> None:
            self.older = dict(kwargs)

    same = type("Same", (Same,), {})
    assert set(accepted_keys(same, same.__init__).parameters) == {"older", "base"}


def test_no_key_that_allennlp_knows_is_unknown():
    """The oracle: AllenNLP's own list of what each registered class accepts."""
    register_own()
    register_allennlp_models()
    number = 0
    for names in Registrable._registry.values():
        for name, (cls, constructor_name) in names.items():
            constructor = getattr(cls, constructor_name) if constructor_name else cls.__init__
            if not hasattr(cls, "from_params") or constructor is object.__init__:
                continue
            known = infer_constructor_params(cls, constructor).values()
            expected = {found.name for found in known if found.kind != found.VAR_KEYWORD} - {"self"}
            assert expected <= set(accepted_keys(cls, constructor).parameters), name
            number += 1
    assert number > 300
