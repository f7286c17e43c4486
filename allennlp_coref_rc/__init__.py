"""
Reading comprehension with coreference, SRL and discourse structure: a plugin for AllenNLP.

    import allennlp_coref_rc

    passage = allennlp_coref_rc.annotate("Mary got the milk. She went to the office.", "sieve_coref")
    print(passage.cluster_texts)  # [['Mary', 'She']]

    reader = allennlp_coref_rc.load("output/quick_start/model.tar.gz")
    print(reader.answer("Mary got the milk. Mary went to the office.", "Where is the milk?").answer)  # office

`annotate` gives a `Passage`, `load` a `Reader`, and its `answer` an `Answer`; all three are in `reading`.

Importing this package makes its readers, models, encoders and annotators known to AllenNLP by their registered names,
and annotators to spaCy as components. It imports neither AllenNLP nor PyTorch nor spaCy itself.
"""

from allennlp_coref_rc.common import quiet_start  # isort: skip  before what takes long

import wrapt

from allennlp_coref_rc import newer_releases, registration
from allennlp_coref_rc.common import config_files, folder_lock
from allennlp_coref_rc.environment import check_environment
from allennlp_coref_rc.reading.annotate import annotate
from allennlp_coref_rc.reading.load import load
from allennlp_coref_rc.trust import archives, registered_names
from allennlp_coref_rc.version import VERSION as __version__

check_environment()

newer_releases.shield()
wrapt.when_imported("allennlp.common.registrable")(registration.install)
wrapt.when_imported("allennlp.common.params")(config_files.let_configs_import)
wrapt.when_imported("allennlp.common.registrable")(registered_names.install)
wrapt.when_imported("allennlp.commands.train")(folder_lock.install)
wrapt.when_imported("allennlp.models.archival")(archives.install)
wrapt.when_imported("allennlp.nn.util")(archives.install_weights)


@wrapt.when_imported("allennlp.commands")
def _add_subcommands(_: object) -> None:
    """`allennlp annotate`."""
    from allennlp_coref_rc.commands import allennlp_annotate


@wrapt.when_imported("spacy")
def _add_components(_: object) -> None:
    """`nlp.add_pipe("sieve_coref")`."""
    from allennlp_coref_rc.annotations import spacy_components


@wrapt.when_imported("allennlp.commands.train")
def _count_every_question(train: object) -> None:
    from allennlp_coref_rc.training import shares

    shares.install(train)
