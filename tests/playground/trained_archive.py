"""
An archive of a small reader that learns in a second to follow people from place to place only by their
clusters. All names are made up and unknown to it, so a text without clusters does not tell it who went where.
"""

import random

import torch
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.models import Model
from allennlp.models.archival import archive_model

from tests.training_config.configs import load_text

PLACES = ("garden", "office", "kitchen", "hallway")

CONFIG = "(import 'babi/bi_coref_gru.jsonnet') { hidden_size:: 16, embedding_dim:: 16, dropout:: 0, max_clusters:: 4 }"

EPOCHS, QUESTIONS, BATCH = 5, 512, 64


def write_stories(path):
    """
    Stories like "Zelda got the milk. Quentin went to the garden. Zelda went to the office." with a question
    each.
    """
    rng = random.Random(0)
    with open(path, "w") as file:
        for _ in range(QUESTIONS):
            people = [
                "".join(rng.choice("bcdfghklmnprstvz") + rng.choice("aeiou") for _ in range(3)).capitalize()
                for _ in range(2)
            ]
            thing, holder, places = rng.choice(("milk", "apple")), rng.randrange(2), rng.sample(PLACES, 2)
            moves = [f"{person} went to the {place}." for person, place in zip(people, places)]
            rng.shuffle(moves)
            file.write(f"1 {people[holder]} got the {thing}.\n2 {moves[0]}\n3 {moves[1]}\n")
            file.write(f"4 Where is the {thing}?\t{places[holder]}\t1\n")


def train_archive(folder):
    folder.mkdir()
    write_stories(folder / "qa2_train.txt")
    params = load_text(CONFIG, "babi", 2, {"dataset_reader.folder": str(folder)})
    config = params.duplicate()
    instances = list(DatasetReader.from_params(params["dataset_reader"]).read("train"))
    vocab = Vocabulary.from_instances(instances, min_count={"tokens": 20})
    torch.manual_seed(0)
    model = Model.from_params(params["model"], vocab=vocab)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    batches = [Batch(instances[i : i + BATCH]) for i in range(0, QUESTIONS, BATCH)]
    for batch in batches:
        batch.index_instances(vocab)
    tensors = [batch.as_tensor_dict() for batch in batches]
    for _ in range(EPOCHS):
        for batch in tensors:
            optimizer.zero_grad()
            model(**batch)["loss"].backward()
            optimizer.step()
    config.to_file(str(folder / "config.json"))
    vocab.save_to_files(str(folder / "vocabulary"))
    torch.save(model.state_dict(), folder / "weights.th")
    return archive_model(str(folder), weights="weights.th")
