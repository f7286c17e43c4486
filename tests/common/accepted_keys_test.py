from typing import Any

import pytest
from allennlp.common import Registrable
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from allennlp_coref_rc.common.accepted_keys import accepted_keys
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
