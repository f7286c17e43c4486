"""
The table of all changes that this package makes to AllenNLP 2.10.1 while AllenNLP is imported. No other folder changes
it. `console` and `atomic_outputs` change it too, but only while a command of `coref-rc` runs. AllenNLP is no longer
maintained, so no release of it will need fewer.
"""

import warnings
from typing import NamedTuple

import wrapt


class Patch(NamedTuple):
    """
    A change of a module of AllenNLP.

    # Parameters

    module : `str`
        The module, without "allennlp.".
    function : `str`
        The function that is given the module and changes it, as "module:function" in this package.
    why : `str`
        What happens without it.
    test : `str`
        The test that fails without it, as "file::function" in `tests/`.
    unneeded : `str`, optional (default = `""`)
        The versions of other packages that do not need it.
    """

    module: str
    function: str
    why: str
    test: str
    unneeded: str = ""


HERE, HERE_TESTED = "allennlp_runtime.patches", "allennlp_runtime/patches"
DISTRIBUTED = "allennlp_runtime/distributed_test.py::test_two_processes_evaluate_every_question_as_one_does"

PATCHES = (
    Patch(
        "commands.train",
        "allennlp_runtime.folder_lock:install",
        "two processes that train in one folder overwrite each other's files",
        "allennlp_runtime/folder_lock_test.py::test_allennlp_has_it_too",
    ),
    Patch(
        "commands.train",
        "allennlp_runtime.lockstep_evaluation:evaluate_on_test_set",
        "with `distributed`, the test set is evaluated by the first process, which waits for the others for ever",
        DISTRIBUTED,
    ),
    Patch(
        "common.cached_transformers",
        f"{HERE}.common:drop_add_special_tokens",
        "tokenizers refuse an argument that AllenNLP repeats wherever it tokenizes",
        f"{HERE_TESTED}/transformers_test.py::test_text_is_tokenized_and_embedded_as_by_transformers",
        "transformers<4.45",
    ),
    Patch(
        "common.checks",
        f"{HERE}.common:share_configuration_error",
        "an error that is raised before AllenNLP is imported is not its `ConfigurationError`",
        "allennlp_runtime/lazy_imports_test.py::test_allennlp_works_without_what_it_seldom_uses",
    ),
    Patch(
        "common.params",
        f"{HERE}.common:add_import_folder",
        "a config imports those of this package only by their paths",
        "common/config_files_test.py::test_a_config_in_any_folder_imports_those_of_the_package",
    ),
    Patch(
        "common.plugins",
        "allennlp_runtime.lazy_registry:import_each_plugin_once",
        "every command imports allennlp-models, which takes seconds and asks the network for data",
        "allennlp_runtime/lazy_registry_test.py::test_plugins_are_imported_without_allennlp_models",
    ),
    Patch(
        "common.registrable",
        "allennlp_runtime.lazy_registry:install",
        "a class is not found by its name until its module is imported",
        "allennlp_runtime/lazy_registry_test.py::test_a_name_imports_the_module_that_registers_it",
    ),
    Patch(
        "common.registrable",
        "safe_archives.registered_names:install",
        "the config of an archive can name any function, which AllenNLP calls",
        "safe_archives/archives_test.py::test_nothing_is_imported_that_a_config_names",
    ),
    Patch(
        "data.data_loaders.multiprocess_data_loader",
        f"{HERE}.data:ignore_ended_workers",
        "a worker that ends before it is told to stop ends the training",
        f"{HERE_TESTED}/training_test.py::test_a_worker_that_has_ended_needs_no_stop",
    ),
    Patch(
        "data.token_indexers.pretrained_transformer_indexer",
        f"{HERE}.data:add_special_tokens_to_windows",
        "tokenizers without a class of their own add no special tokens to the windows of a long text",
        f"{HERE_TESTED}/transformers_test.py::test_words_have_the_mean_vector_of_their_pieces",
        "transformers<4.48, which has no ModernBERT",
    ),
    Patch(
        "interpret.attackers.input_reduction",
        f"{HERE}.interpret:keep_ignored_tokens",
        "input reduction removes tokens that it is told to ignore",
        "predictors/interpretation_test.py::test_input_reduction_leaves_the_answer_as_it_is",
    ),
    Patch(
        "interpret.saliency_interpreters.saliency_interpreter",
        f"{HERE}.interpret:keep_embeddings_of_all_tokens",
        "`simple-gradient` multiplies the gradients of all words by the embedding of the first",
        "predictors/interpretation_test.py::test_simple_gradients_are_the_derivatives_by_the_size_of_each_word",
    ),
    Patch(
        "interpret.saliency_interpreters.smooth_gradient",
        f"{HERE}.interpret:multiply_smooth_gradients",
        "below a layer norm, the gradients that `smooth-gradient` adds up are 0 and rounding errors",
        "predictors/interpretation_test.py::test_smooth_gradients_without_noise_are_simple_ones",
    ),
    Patch(
        "models.archival",
        "safe_archives.archives:install",
        "an archive can write files anywhere and fill the disk when it is unpacked",
        "safe_archives/unpacking_test.py::test_allennlp_itself_is_shielded",
    ),
    Patch(
        "modules.token_embedders.pretrained_transformer_embedder",
        f"{HERE}.modules:enable_gradient_checkpointing",
        "gradient checkpointing stays off",
        f"{HERE_TESTED}/transformers_test.py::test_gradient_checkpointing_computes_layers_again_and_changes_nothing",
        "transformers<4.11",
    ),
    Patch(
        "nn.module",
        f"{HERE}.modules:ignore_position_buffers",
        "archives of transformers do not load, as current models lack a buffer that the weights have",
        "annotations/annotators/transformer_archives_test.py::test_clusters_are_what_the_model_says",
        "transformers<4.31",
    ),
    Patch(
        "nn.util",
        "safe_archives.archives:install_weights",
        "the errors of damaged weights do not name the file",
        "safe_archives/damaged_archives_test.py::test_weights_run_no_code",
    ),
    Patch(
        "training.callbacks.wandb",
        f"{HERE}.training:generate_run_id",
        "the function that generates the id of a run is gone",
        f"{HERE_TESTED}/training_test.py::test_weights_and_biases_gets_losses_and_an_id",
        "wandb<0.13",
    ),
    Patch(
        "training.checkpointer",
        f"{HERE}.training:escape_folder_names",
        'no checkpoint is found in a folder such as "runs [1]"',
        f"{HERE_TESTED}/training_test.py::test_a_folder_that_looks_like_a_pattern_has_checkpoints",
    ),
    Patch(
        "training.checkpointer",
        f"{HERE}.training:resume_from_complete_checkpoint",
        "a training that was killed between the two files of a checkpoint cannot be resumed",
        f"{HERE_TESTED}/training_test.py::test_a_checkpoint_without_its_second_file_is_passed_over",
    ),
    Patch(
        "training.gradient_descent_trainer",
        f"{HERE}.training:escape_folder_names",
        'no checkpoint is found in a folder such as "runs [1]"',
        f"{HERE_TESTED}/training_test.py::test_sharded_weights_are_found_in_a_folder_that_looks_like_a_pattern",
    ),
    Patch(
        "training.gradient_descent_trainer",
        "allennlp_runtime.lockstep_evaluation:install",
        "with `distributed`, the last questions of larger shares are not evaluated",
        DISTRIBUTED,
    ),
)

IRRELEVANT = (
    ("Failed to load image Python extension", r"torchvision\."),
    ("pkg_resources is deprecated", r"rouge\."),
)
"""Warnings about what nobody here uses, and the modules that give them when AllenNLP imports them."""


def patch_allennlp() -> None:
    """Changes AllenNLP's modules, those that are imported already and those that will be."""
    package = __name__.partition(".")[0]
    for message, warning_module in IRRELEVANT:
        warnings.filterwarnings("ignore", message, UserWarning, warning_module)
    for patch in PATCHES:
        wrapt.register_post_import_hook(f"{package}.{patch.function}", f"allennlp.{patch.module}")
