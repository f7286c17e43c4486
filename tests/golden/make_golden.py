"""
Golden values: small cases of the papers' equations, computed in float64 by NumPy alone, one token after the
other. Neither this project's package nor PyTorch is imported, so that what agrees with these values has been
written twice.

    python tests/golden/make_golden.py tests/golden

Papers: Coref-GRU (Dhingra et al., NAACL 2018), Appendix A; MAGE-GRU (Dhingra et al. 2017), equations 2 and 3;
CG+SBA (NAACL SRW 2018), equations 1 to 10, whose appendix has those of the GA Reader; DASSA (Mihaylov &
Frank, EMNLP 2019), equations 1 to 4, in the encoder block of QANet (Yu et al., ICLR 2018). Where a paper
leaves a choice, the authors' code decides: the reset gate scales U h (CG+SBA's appendix prints U (r h)); a
token of several clusters has a weight for each; labels have a bias beside their embedding, and what has no
label has one of its head's own.

Arrays have the names that the authors' golden files have, where there are such: see the adapters beside this
file. Each file has derivatives of its loss (with outputs alone, the sum of outputs times "upstream"): "grad"
is that by the entry "grad_at" of the flattened array "grad_of". They come from steps into the imaginary, f(x
+ ih) = f(x) + ih f'(x), which take no difference and so lose no digits.
"""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy

Arrays = dict[str, Any]

STEP = 1e-30
DERIVATIVES = 3
"""Of each array, at most."""


class Numbers:
    """Random numbers, in 64ths so that files are small. A `RandomState` keeps its stream for ever."""

    def __init__(self, seed: int) -> None:
        self.random = numpy.random.RandomState(seed)

    def __call__(self, *shape: int, scale: float = 1.0) -> numpy.ndarray:
        return numpy.round(64 * scale * self.random.standard_normal(shape)) / 64

    def gates(self, inputs: int, size: int, prefix: str = "") -> Arrays:
        """The parameters of a GRU: reset gate, update gate and candidate."""
        packed = self.packed_gates(inputs, size)
        return {f"{prefix}{name}{gate}": array for name in "WUb" for gate, array in zip("rzh", packed[name])}

    def packed_gates(self, inputs: int, size: int, prefix: str = "") -> Arrays:
        """The same in arrays with the three gates as their first dimension."""
        shapes = {"W": (inputs, size), "U": (size, size), "b": (size,)}
        return {f"{prefix}{name}": self(3, *shape) for name, shape in shapes.items()}

    def listed_gates(self, inputs: int, size: int, keys: bool) -> list[numpy.ndarray]:
        """As `next_gates` reads them."""
        shapes = ((inputs, size), (size, size), (size,))
        gates = [self(*shape, scale=0.5) for _ in "rzh" for shape in shapes]
        return gates + [self(2, inputs, scale=0.5)] * keys


def derivatives(loss: Callable[[Arrays], Any], values: Arrays) -> Arrays:
    """Of the loss by some entries of the values."""
    random, found = numpy.random.RandomState(1), []
    for name in sorted(values):
        for place in sorted(random.permutation(values[name].size)[:DERIVATIVES]):
            shifted = values[name].astype(complex)
            shifted.flat[place] += 1j * STEP
            found.append((name, place, loss({**values, name: shifted}).imag / STEP))
    names, places, numbers = zip(*found)
    return {"grad_of": numpy.array(names), "grad_at": numpy.array(places), "grad": numpy.array(numbers)}


def padded(rows: Sequence[numpy.ndarray]) -> numpy.ndarray:
    """Rows of different lengths as one array, with zeros behind them."""
    length = max(map(len, rows))
    return numpy.stack(
        [numpy.concatenate([row, numpy.zeros((length - len(row), *row.shape[1:]))]) for row in rows]
    )


def sigmoid(x: numpy.ndarray) -> numpy.ndarray:
    return 1 / (1 + numpy.exp(-x))


def softmax(x: numpy.ndarray) -> numpy.ndarray:
    """Over the last dimension."""
    exponentials = numpy.exp(x)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def relu(x: numpy.ndarray) -> numpy.ndarray:
    return numpy.where(x.real > 0, x, 0)


# Recurrent layers: Coref-GRU, MAGE-GRU and the GRU


def gru_cell(x: numpy.ndarray, m: numpy.ndarray, p: Arrays) -> numpy.ndarray:
    r = sigmoid(x @ p["Wr"] + m @ p["Ur"] + p["br"])
    z = sigmoid(x @ p["Wz"] + m @ p["Uz"] + p["bz"])
    candidate = numpy.tanh(x @ p["Wh"] + r * (m @ p["Uh"]) + p["bh"])
    return (1 - z) * m + z * candidate


def gru(inputs: numpy.ndarray, p: Arrays) -> numpy.ndarray:
    states = [numpy.zeros(len(p["br"]))]
    for x in inputs:
        states.append(gru_cell(x, states[-1], p))
    return numpy.stack(states[1:])


def bi_gru(inputs: numpy.ndarray, forward: Arrays, backward: Arrays) -> numpy.ndarray:
    return numpy.concatenate([gru(inputs, forward), gru(inputs[::-1], backward)[::-1]], axis=1)


def coref_gru(
    inputs: numpy.ndarray, p: Arrays, reads: numpy.ndarray, writes: numpy.ndarray, memory: numpy.ndarray
) -> numpy.ndarray:
    return coref_gru_with_memories(inputs, p, reads, writes, memory)[0]


def coref_gru_with_memories(
    inputs: numpy.ndarray, p: Arrays, reads: numpy.ndarray, writes: numpy.ndarray, memory: numpy.ndarray
) -> tuple[numpy.ndarray, list[numpy.ndarray]]:
    """
    Appendix A, with the memory of section 3: a row for each cluster, after one for the sequence. `reads` and
    `writes` say of each token which rows it reads and writes. The memories are those after each token.
    """
    half, outputs, memories = memory.shape[1], [], []
    for x, read, write in zip(inputs, reads, writes):
        # Keys k1 of the sequence and k2 of clusters; alpha is the weight of the first row.
        weights = numpy.exp([x @ p["Watt"][min(slot, 1)] for slot in range(len(memory))]) * read
        weights = weights / weights.sum()
        m = numpy.concatenate([weights[0] * memory[0], weights[1:] @ memory[1:]])
        h = gru_cell(x, m, p)
        outputs.append(h)
        memory = numpy.stack([h[half:] if write[slot] else memory[slot] for slot in range(len(memory))])
        memory = numpy.concatenate([[h[:half]], memory[1:]])
        memories.append(memory)
    return numpy.stack(outputs), memories


def bi_coref_gru(
    inputs: numpy.ndarray, forward: Arrays, backward: Arrays, reads: numpy.ndarray, writes: numpy.ndarray
) -> numpy.ndarray:
    """Backward, a token reads what later mentions have written: readers and writers change places."""
    memory = numpy.zeros((reads.shape[1], len(forward["br"]) // 2))
    states = coref_gru(inputs, forward, reads, writes, memory)
    reverse = coref_gru(inputs[::-1], backward, writes[::-1], reads[::-1], memory)[::-1]
    return numpy.concatenate([states, reverse], axis=1)


def membership(length: int, clusters: Sequence[Sequence[tuple[int, int]]]) -> numpy.ndarray:
    """All tokens of a mention belong to its cluster; the first column is the sequence, of all."""
    belongs = numpy.zeros((length, 1 + len(clusters)))
    belongs[:, 0] = 1
    for slot, mentions in enumerate(clusters, start=1):
        for start, stop in mentions:
            belongs[start:stop, slot] = 1
    return belongs


def within(arrays: Arrays, prefix: str) -> Arrays:
    """Those whose names begin so, without that."""
    return {name[len(prefix) :]: value for name, value in arrays.items() if name.startswith(prefix)}


def unpacked(p: Arrays) -> Arrays:
    """Gates by their names."""
    return {name + gate: array for name in "WUb" for gate, array in zip("rzh", p[name])}


def coref_gru_layer() -> Arrays:
    """Two texts, the second with a token of two clusters; with a memory and without; and GRUs."""
    number, inputs, half = Numbers(1), 3, 2
    lengths, slots = (7, 5), 3
    clusters = [[[(0, 2), (3, 4), (5, 7)], [(3, 5), (6, 7)]], [[(0, 1), (2, 4)], [(1, 3), (4, 5)]]]
    x = [number(length, inputs) for length in lengths]
    belongs = [membership(*pair) for pair in zip(lengths, clusters)]
    # In the first text all tokens of a mention read and write; in the second the first reads and the last
    # writes.
    reads = [
        belongs[0],
        membership(5, [[(start, start + 1) for start, _ in mentions] for mentions in clusters[1]]),
    ]
    writes = [
        belongs[0],
        membership(5, [[(stop - 1, stop) for _, stop in mentions] for mentions in clusters[1]]),
    ]
    parameters: Arrays = {}
    for prefix in ("fwd_", "bwd_"):
        parameters.update({**number.gates(inputs, 2 * half, prefix), f"{prefix}Watt": number(2, inputs)})
    grus = {**number.gates(inputs, 2 * half, "gru_"), **number.gates(inputs, 2 * half, "grub_")}
    starts = {prefix: number(len(x), slots, half) for prefix in ("fwd_", "bwd_")}
    upstream = padded([number(length, 4 * half) for length in lengths])
    arrays = {**parameters, **grus, "X": padded(x), "M": padded([numpy.ones(length) for length in lengths])}
    arrays.update(Ei=padded(reads), Eo=padded(writes), upstream=upstream)
    for prefix, turn, edges in (("fwd_", 1, (reads, writes)), ("bwd_", -1, (writes, reads))):
        p = within(parameters, prefix)
        for name, memory in (("out", numpy.zeros_like(starts[prefix])), ("out_meminit", starts[prefix])):
            texts = zip(x, *edges, memory)
            rows = [
                coref_gru(text[::turn], p, *(e[::turn] for e in ends), m)[::turn] for text, *ends, m in texts
            ]
            arrays[f"{prefix}{name}"] = padded(rows)
        arrays[f"{prefix}mem_init"] = starts[prefix]
    for name, turn in (("gru", 1), ("grub", -1)):
        arrays[f"{name}_out"] = padded([gru(text[::turn], within(grus, f"{name}_"))[::turn] for text in x])

    def loss(values: Arrays) -> Any:
        texts = [row[:length] for row, length in zip(values["X"], lengths)]
        directions = within(values, "fwd_"), within(values, "bwd_")
        outputs = [bi_coref_gru(text, *directions, *edges) for text, *edges in zip(texts, reads, writes)]
        return (padded(outputs) * upstream).sum()

    return {**arrays, **derivatives(loss, {**parameters, "X": arrays["X"]})}


def mage_gru(
    inputs: numpy.ndarray, p: Arrays, edges: Sequence[tuple[int, int, int]], previous: bool
) -> numpy.ndarray:
    """
    Equation 2: each type e of edges has a state of its own, and reads the states of all edges (t', e') into a
    token by matrices U^{e,e'}. Type 0 is the sequence. The update gate keeps h_{t-1}, as the equation has it,
    or, as the code has it, the states of type e that were read.
    """
    parts = numpy.split(numpy.arange(sum(p["sizes"])), numpy.cumsum(p["sizes"])[:-1])
    states: list[list[numpy.ndarray]] = []

    def gate(
        g: int, x: numpy.ndarray, rows: numpy.ndarray, incoming: Sequence[tuple[int, int]]
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        read = [p["U"][g][numpy.ix_(parts[kind], rows)] for _, kind in incoming]
        hidden = [states[source][kind] @ u for (source, kind), u in zip(incoming, read)]
        return x @ p["W"][g][:, rows] + p["b"][g][rows], sum(hidden, numpy.zeros(len(rows)))

    for t, x in enumerate(inputs):
        incoming = [(t - 1, 0)] * (t > 0) + [(source, kind) for source, target, kind in edges if target == t]
        state = []
        for e, rows in enumerate(parts):
            r, z = (sigmoid(sum(gate(g, x, rows, incoming))) for g in (0, 1))
            projected, hidden = gate(2, x, rows, incoming)
            kept = [states[source][kind] for source, kind in incoming if kind == e]
            if previous:
                kept = [states[t - 1][e]] if t else []
            state.append((1 - z) * sum(kept, numpy.zeros(len(rows))) + z * numpy.tanh(projected + r * hidden))
        states.append(state)
    return numpy.stack([numpy.concatenate(state) for state in states])


def mage_gru_layer() -> Arrays:
    """A text with edges of two types: several into a token, several from one, and none."""
    number, length, inputs, sizes = Numbers(2), 7, 3, numpy.array([3, 1, 2])
    edges = [(0, 2, 1), (2, 5, 1), (1, 5, 2), (3, 5, 2), (0, 3, 2), (3, 6, 1)]
    # In the other direction edges lead from target to source, and positions count from the end.
    turned = [(length - 1 - target, length - 1 - source, kind) for source, target, kind in edges]
    size = sizes.sum()
    arrays: Arrays = {"X": number(length, inputs)}
    for prefix in ("fwd_", "bwd_"):
        arrays.update(number.packed_gates(inputs, size, prefix))
    upstream = number(length, 2 * size)

    def outputs(values: Arrays, previous: bool) -> numpy.ndarray:
        forward, backward = ({**within(values, prefix), "sizes": sizes} for prefix in ("fwd_", "bwd_"))
        states = mage_gru(values["X"], forward, edges, previous)
        return numpy.concatenate(
            [states, mage_gru(values["X"][::-1], backward, turned, previous)[::-1]], axis=1
        )

    found = derivatives(lambda values: (outputs(values, True) * upstream).sum(), arrays)
    arrays.update(sizes=sizes, edges=numpy.array(edges), upstream=upstream, **found)
    return {**arrays, "out_previous": outputs(arrays, True), "out_gathered": outputs(arrays, False)}


# Readers: GA Reader, CG and SBA


def attention_sum(passage: numpy.ndarray, vector: numpy.ndarray, belongs: numpy.ndarray) -> numpy.ndarray:
    """Equations 18 and 19 of CG+SBA: each candidate's share of the attention of all candidates' tokens."""
    sums = softmax(passage @ vector) @ belongs
    return sums / sums.sum()


def gate(passage: numpy.ndarray, question: numpy.ndarray) -> numpy.ndarray:
    """Equations 15 to 17: gated attention."""
    return passage * (softmax(passage @ question.T) @ question)


def filtered(question: numpy.ndarray, passage: numpy.ndarray) -> numpy.ndarray:
    """Equations 1 to 3 of CG: the question seen by the passage."""
    return question * (softmax(question @ passage.T) @ passage)


class Text:
    """A passage and its question: words, characters, clusters, candidates of tokens, the answer."""

    def __init__(self, number: Numbers, length: int, question_length: int, characters: int) -> None:
        self.words = number.random.randint(0, 6, length)
        self.question = number.random.randint(0, 6, question_length)
        self.characters = number.random.randint(0, 5, (length, characters))
        self.question_characters = number.random.randint(0, 5, (question_length, characters))
        self.belongs = membership(length, [[(0, 1), (3, 5)], [(1, 3)]])
        self.candidates = numpy.eye(3)[numpy.arange(length) % 3] * (numpy.arange(length)[:, None] > 0)


def in_the_authors_layout(
    variables: Sequence[numpy.ndarray],
    texts: Sequence[Any],
    answers: Sequence[int],
    read: Callable[[Iterator[numpy.ndarray], Any], numpy.ndarray],
    **arrays: numpy.ndarray,
) -> Arrays:
    """A reader with variables v00, v01, … in order, and what it gives for the texts; `arrays` are more of them."""
    values = {f"v{i:02d}": value for i, value in enumerate(variables)}

    def answer(values: Arrays) -> list[numpy.ndarray]:
        return [read(iter(values[name] for name in sorted(values)), text) for text in texts]

    def loss(values: Arrays) -> Any:
        return -sum(numpy.log(p[a]) for p, a in zip(answer(values), answers)) / len(texts)

    probabilities = numpy.stack(answer(values))
    candidates = padded([text.candidates for text in texts])
    arrays.update(
        var_names=numpy.array(sorted(values)),
        dw=padded([text.words for text in texts]).astype(int),
        qw=padded([text.question for text in texts]).astype(int),
        md=padded([numpy.ones(len(text.words)) for text in texts]),
        mq=padded([numpy.ones(len(text.question)) for text in texts]),
        cand=candidates,
        cm=candidates.max(axis=2),
        ans=numpy.array(answers),
        probc=probabilities,
        loss=loss(values),
        acc=numpy.mean(probabilities.argmax(axis=1) == answers),
        # Those of the authors' code are added where it takes logarithms; the papers have none.
        epsilon=numpy.array(0.0),
    )
    return {**values, **arrays, **derivatives(loss, values)}


def next_gates(v: Iterator[numpy.ndarray], keys: bool) -> Arrays:
    """Reset, update and candidate, each with W, U and b; in a Coref-GRU keys too."""
    gates = {name + gate: next(v) for gate in "rzh" for name in "WUb"}
    return {**gates, "Watt": next(v)} if keys else gates


def character_cnn(embedded: numpy.ndarray, filters: numpy.ndarray) -> numpy.ndarray:
    """
    The largest of what each filter gives anywhere in each word. Shapes: (words, characters, dim), (width,
    dim, n).
    """
    width = len(filters)
    windows = [embedded[:, i : i + width] for i in range(embedded.shape[1] - width + 1)]
    found = relu(numpy.stack([numpy.einsum("ncd,cdf->nf", window, filters) for window in windows], axis=1))
    best = found.real.argmax(axis=1)
    return numpy.take_along_axis(found, best[:, None], axis=1)[:, 0]


def ga_reader(v: Iterator[numpy.ndarray], text: Text, layers: int) -> numpy.ndarray:
    """
    The GA Reader with C-GRU, as Coref-GRU's Appendix B has it for WikiHop: the question is read by a GRU in
    each layer, which reads what the one before it gave, and the last layer sees which words of the passage
    are in the question.
    """
    words, occurs, characters, filters = (next(v) for _ in range(4))
    filters = filters[0]

    def embed(ids: numpy.ndarray, character_ids: numpy.ndarray) -> numpy.ndarray:
        return numpy.concatenate([words[ids], character_cnn(characters[character_ids], filters)], axis=1)

    passage = embed(text.words, text.characters)
    question = embed(text.question, text.question_characters)
    for layer in range(layers):
        if layer == layers - 1:
            feature = occurs[numpy.isin(text.words, text.question).astype(int)]
            passage = numpy.concatenate([passage, feature], axis=1)
        directions = next_gates(v, True), next_gates(v, True)
        passage = bi_coref_gru(passage, *directions, text.belongs, text.belongs)
        question = bi_gru(question, next_gates(v, False), next_gates(v, False))
        if layer < layers - 1:
            passage = gate(passage, question)
    half = question.shape[1] // 2
    vector = numpy.concatenate([question[-1, :half], question[0, half:]])
    return attention_sum(passage, vector, text.candidates)


def reader_of_coref_gru() -> Arrays:
    """In the layout of the authors' golden model."""
    number, size, layers, characters, answers = Numbers(3), 4, 2, 4, (1, 2)
    texts = [Text(number, 6, 3, characters), Text(number, 4, 2, characters)]
    # Words of 3 numbers and characters of 2; then filters of width 3, of which there are 2.
    found = [number(6, 3), number(2, 2), number(5, 2), number(1, 3, 2, 2)]
    for passage_dim, question_dim in ((5, 5), (2 * size + 2, 2 * size)):
        for dim, keys in [(passage_dim, True)] * 2 + [(question_dim, False)] * 2:
            found += number.listed_gates(dim, size, keys)
    return in_the_authors_layout(
        found,
        texts,
        answers,
        lambda v, text: ga_reader(v, text, layers),
        dc=padded([text.characters for text in texts]).astype(int),
        qc=padded([text.question_characters for text in texts]).astype(int),
        dei=padded([text.belongs for text in texts]),
        deo=padded([text.belongs for text in texts]),
    )


class ClozeText:
    """A passage and its question, whose clusters they share, with a place to fill."""

    def __init__(self, number: Numbers, length: int, question_length: int, cloze: int) -> None:
        self.words = number.random.randint(0, 7, length)
        self.question = number.random.randint(0, 7, question_length)
        self.cloze = cloze
        # Each cluster has mentions in both. A mention reads where it begins, the first one nothing, and
        # writes where it ends. The question's last token writes too, for what the code hands back.
        end = length + question_length
        clusters = [[(0, 2), (4, 5), (end - 1, end)], [(1, 3), (length, length + 1), (end - 2, end)]]
        reads = [[(start, start + 1) for start, _ in mentions[1:]] for mentions in clusters]
        writes = [[(stop - 1, stop) for _, stop in mentions] for mentions in clusters]
        self.reads, self.question_reads = numpy.split(membership(end, reads), [length])
        self.writes, self.question_writes = numpy.split(membership(end, writes), [length])
        self.candidates = numpy.eye(3)[numpy.arange(length) % 3] * (numpy.arange(length)[:, None] > 0)


def ga_reader_on_lambada(
    v: Iterator[numpy.ndarray], text: ClozeText, layers: int, longest: int
) -> numpy.ndarray:
    """
    The GA Reader with C-GRU as the authors' code for LAMBADA has it. A C-GRU reads the question too. Forward
    it starts from the passage's memory. Backward the passage starts from what the code takes for the
    question's memory: that after its first step. In a question that is padded to the `longest` one this step
    is padding, and nothing is there.
    """
    words = next(v)
    passage, question = words[text.words], words[text.question]
    slots = text.reads.shape[1]
    for layer in range(layers):
        p = {name: next_gates(v, True) for name in ("passage", "passage back", "question", "question back")}
        nothing = numpy.zeros((slots, len(p["passage"]["br"]) // 2))
        here, there = (text.reads, text.writes), (text.question_reads, text.question_writes)
        forward, memories = coref_gru_with_memories(passage, p["passage"], *here, nothing)
        asked = coref_gru(question, p["question"], *there, memories[-1])
        turned = [array[::-1] for array in (question, *there[::-1])]
        asked_back, memories = coref_gru_with_memories(turned[0], p["question back"], *turned[1:], nothing)
        start = memories[0] if len(text.question) == longest else nothing
        turned = [array[::-1] for array in (passage, *here[::-1])]
        back = coref_gru(turned[0], p["passage back"], *turned[1:], start)
        passage = numpy.concatenate([forward, back[::-1]], axis=1)
        question = numpy.concatenate([asked, asked_back[::-1]], axis=1)
        if layer < layers - 1:
            passage = gate(passage, question)
    return attention_sum(passage, question[text.cloze], text.candidates)


def reader_on_lambada() -> Arrays:
    """In the layout of the authors' variables: words, and in each layer four Coref-GRUs."""
    number, size, layers, answers = Numbers(6), 4, 2, (1, 2)
    texts = [ClozeText(number, 6, 4, 2), ClozeText(number, 5, 3, 0)]
    found = [number(7, 3)]
    for dim in (3, 2 * size):
        for _ in range(4):
            found += number.listed_gates(dim, size, keys=True)
    return in_the_authors_layout(
        found,
        texts,
        answers,
        lambda v, text: ga_reader_on_lambada(v, text, layers, longest=4),
        dei=padded([text.reads for text in texts]),
        deo=padded([text.writes for text in texts]),
        qei=padded([text.question_reads for text in texts]),
        qeo=padded([text.question_writes for text in texts]),
        cl=numpy.array([text.cloze for text in texts]),
    )


def cg_sba(p: Arrays, text: Text, cloze: int, layers: int) -> numpy.ndarray:
    """
    CG+SBA: all question encoders read the embeddings Y; alpha sums the question as it is (the better one, by
    the paper); the last question is filtered too, and what is asked for is its sum by the weights lambda.
    """
    passage, embedded = p["embeddings"][text.words], p["embeddings"][text.question]

    def encode(inputs: numpy.ndarray, name: str) -> numpy.ndarray:
        return bi_gru(inputs, *(unpacked(within(p, f"{name}_{direction}_")) for direction in ("fwd", "bwd")))

    for layer in range(layers):
        passage, question = encode(passage, f"passage{layer}"), encode(embedded, f"question{layer}")
        z = filtered(question, passage)
        if layer < layers - 1:
            # Equations 4 to 6, with Q in place of Z in equation 5.
            passage = passage * (softmax(passage @ z.T) @ question)
    beliefs = encode(embedded, "belief")
    vector = softmax(beliefs @ beliefs[cloze]) @ z
    return attention_sum(passage, vector, text.candidates)


def reader_of_cg_sba() -> Arrays:
    number, size, layers, answers, clozes = Numbers(4), 2, 2, (1, 2), (1, 0)
    texts = [Text(number, 6, 3, 1), Text(number, 4, 2, 1)]
    values = {"embeddings": number(6, 3)}
    for name, dim in (
        ("passage0", 3),
        ("passage1", 2 * size),
        ("question0", 3),
        ("question1", 3),
        ("belief", 3),
    ):
        for direction in ("fwd", "bwd"):
            values.update(number.packed_gates(dim, size, f"{name}_{direction}_"))

    def answer(values: Arrays) -> list[numpy.ndarray]:
        return [cg_sba(values, text, cloze, layers) for text, cloze in zip(texts, clozes)]

    def loss(values: Arrays) -> Any:
        return -sum(numpy.log(p[a]) for p, a in zip(answer(values), answers)) / len(texts)

    arrays = {
        "passage": padded([text.words + 1 for text in texts]).astype(int),
        "question": padded([text.question + 1 for text in texts]).astype(int),
        "cloze": numpy.array(clozes),
        "candidates": padded([text.candidates for text in texts]),
        "answer": numpy.array(answers),
        "probabilities": numpy.stack(answer(values)),
        "loss": loss(values),
    }
    return {**values, **arrays, **derivatives(loss, values)}


# DASSA in the encoder of QANet


def layer_norm(x: numpy.ndarray, p: Arrays, name: str) -> numpy.ndarray:
    centred = x - x.mean(axis=1, keepdims=True)
    scale = numpy.sqrt((centred * centred).mean(axis=1, keepdims=True) + 1e-5)
    return centred / scale * p[f"{name}.weight"] + p[f"{name}.bias"]


def linear(x: numpy.ndarray, p: Arrays, name: str) -> numpy.ndarray:
    return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]


def separable_convolution(x: numpy.ndarray, p: Arrays, name: str) -> numpy.ndarray:
    """Each channel by itself, then all channels of each token; what lies beyond the text is zero."""
    depthwise, pointwise = p[f"{name}.1.weight"][:, 0], p[f"{name}.2.weight"][:, :, 0]
    half = depthwise.shape[1] // 2
    wide = numpy.concatenate([numpy.zeros((half, x.shape[1])), x, numpy.zeros((half, x.shape[1]))])
    each = sum(wide[i : i + len(x)] * depthwise[:, i] for i in range(2 * half + 1)) + p[f"{name}.1.bias"]
    return each @ pointwise.T + p[f"{name}.2.bias"]


def self_attention(x: numpy.ndarray, p: Arrays, heads: int) -> numpy.ndarray:
    queries, keys, values = numpy.split(linear(x, p, "_combined_projection"), 3, axis=1)
    outputs = []
    for q, k, v in zip(*(numpy.split(part, heads, axis=1) for part in (queries, keys, values))):
        outputs.append(softmax(q @ k.T / math.sqrt(q.shape[1])) @ v)
    return linear(numpy.concatenate(outputs, axis=1), p, "_output_projection")


def annotated_attention(
    x: numpy.ndarray, p: Arrays, labels: numpy.ndarray, scopes: numpy.ndarray
) -> numpy.ndarray:
    """Equations 1 to 4, head by head. Tokens attend to those of their scope; what is in none is one scope."""
    heads, _, head_dim = p["_queries_projection"].shape
    num_labels = len(p["_semantic_label_embedding_q_w.weight"])
    values, outputs = linear(x, p, "_values_projection"), []

    def project(kind: str, h: int, label: numpy.ndarray) -> numpy.ndarray:
        table = f"_semantic_label_embedding_{kind[0]}"
        inputs = numpy.concatenate([x, p[f"{table}_w.weight"][label]], axis=1)
        return inputs @ p[f"_{kind}_projection"][h] + p[f"{table}_b.weight"][label]

    for h in range(heads):
        own = num_labels - heads + h
        nothing = numpy.zeros(len(x), dtype=int)
        label, scope = (part[h] if h < len(part) else nothing for part in (labels, scopes))
        label = numpy.where(label > 0, label, own)
        queries, keys = (project(kind, h, label) for kind in ("queries", "keys"))
        exponentials = numpy.exp(queries @ keys.T / math.sqrt(head_dim))
        exponentials = exponentials * (scope[:, None] == scope)
        weights = exponentials / exponentials.sum(axis=1, keepdims=True)
        outputs.append(weights @ values[:, h * head_dim : (h + 1) * head_dim])
    return linear(numpy.concatenate(outputs, axis=1), p, "_output_projection")


def positions(length: int, dim: int) -> numpy.ndarray:
    """Sines, then cosines, of wave lengths from 2 pi to 10,000 times that."""
    rates = 10000.0 ** (-numpy.arange(dim // 2) / (dim // 2 - 1))
    angles = numpy.arange(length)[:, None] * rates
    return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], axis=1)


def qanet_block(
    x: numpy.ndarray, p: Arrays, attention: Callable[[numpy.ndarray, Arrays], numpy.ndarray], dropped: float
) -> numpy.ndarray:
    """
    Convolution, self-attention and feed-forward layer, each after a layer norm and beside a residual
    connection. What is dropped in training with a probability that grows with depth counts by how often it is
    not.
    """
    layers = [
        ("_conv_norm_layers.0", lambda y: relu(separable_convolution(y, p, "_conv_layers.0"))),
        ("attention_norm_layer", lambda y: attention(y, within(p, "attention_layer."))),
        (
            "feedforward_norm_layer",
            lambda y: linear(
                relu(linear(y, p, "feedforward._linear_layers.0")), p, "feedforward._linear_layers.1"
            ),
        ),
    ]
    x = x + positions(*x.shape)
    for i, (norm, layer) in enumerate(layers, start=1):
        x = x + (1 - dropped * i / len(layers)) * layer(layer_norm(x, p, norm))
    return x


def dassa_encoder() -> Arrays:
    """Two blocks, the second with two of four heads that see labels and scopes; texts of two lengths."""
    number, dim, heads, head_dim, feedforward, label_dim, labels = Numbers(5), 4, 3, 2, 3, 2, 5
    lengths, views = (7, 5), 2
    shapes: dict[str, tuple[int, ...]] = {}
    for block in range(2):
        prefix, attention = f"encoder_block_{block}.", f"encoder_block_{block}.attention_layer."
        norms = [
            f"{prefix}{name}"
            for name in ("_conv_norm_layers.0", "attention_norm_layer", "feedforward_norm_layer")
        ]
        shapes.update({f"{norm}.{part}": (dim,) for norm in norms for part in ("weight", "bias")})
        layers: dict[str, tuple[int, ...]] = {
            f"{prefix}_conv_layers.0.1": (dim, 1, 3),
            f"{prefix}_conv_layers.0.2": (dim, dim, 1),
            f"{prefix}feedforward._linear_layers.0": (feedforward, dim),
            f"{prefix}feedforward._linear_layers.1": (dim, feedforward),
            f"{attention}_output_projection": (dim, heads * head_dim),
        }
        if block == 0:
            layers[f"{attention}_combined_projection"] = (3 * heads * head_dim, dim)
        else:
            layers[f"{attention}_values_projection"] = (heads * head_dim, dim)
            for kind in ("queries", "keys"):
                shapes[f"{attention}_{kind}_projection"] = (heads, dim + label_dim, head_dim)
                for part, size in (("w", label_dim), ("b", head_dim)):
                    shapes[f"{attention}_semantic_label_embedding_{kind[0]}_{part}.weight"] = (
                        labels + heads,
                        size,
                    )
        for name, shape in layers.items():
            shapes.update({f"{name}.weight": shape, f"{name}.bias": shape[:1]})
    parameters = {f"p:{name}": number(*shape, scale=0.7) for name, shape in sorted(shapes.items())}
    x = [number(length, dim) for length in lengths]
    seen = [number.random.randint(0, labels, (views, length)) for length in lengths]
    # Sentences in the first view; in the second a scope that takes up again, and tokens in none.
    scopes = [
        numpy.array([[1, 1, 1, 2, 2, 2, 2], [1, 1, 0, 2, 1, 0, 0]]),
        numpy.array([[1, 1, 2, 2, 3], [0, 2, 2, 0, 0]]),
    ]
    upstream = padded([number(length, dim) for length in lengths])

    def attend(b: int, y: numpy.ndarray, p: Arrays) -> numpy.ndarray:
        return annotated_attention(y, p, seen[b], scopes[b])

    def encode(values: Arrays) -> list[numpy.ndarray]:
        outputs = []
        for b, length in enumerate(lengths):
            first, second = (within(values, f"p:encoder_block_{block}.") for block in (0, 1))
            y = qanet_block(
                values["in:inputs"][b, :length], first, lambda y, p: self_attention(y, p, heads), 0.1
            )
            outputs.append(qanet_block(y, second, lambda y, p, b=b: attend(b, y, p), 0.1))
        return outputs

    attention = within(parameters, "p:encoder_block_1.attention_layer.")
    values = {**parameters, "in:inputs": padded(x)}
    arrays = {
        **values,
        "in:mask": padded([numpy.ones(length) for length in lengths]),
        "in:views_q": padded([labels.T for labels in seen]).astype(int),
        "in:views_k": padded([scope.T for scope in scopes]).astype(int),
        "in:heads": numpy.array(heads),
        "out:attention": padded([attend(b, text, attention) for b, text in enumerate(x)]),
        "out:positions": positions(max(lengths), dim),
        "out:encoder": padded(encode(values)),
        "upstream": upstream,
    }
    return {**arrays, **derivatives(lambda values: (padded(encode(values)) * upstream).sum(), values)}


FILES: dict[str, Callable[[], Arrays]] = {
    "coref_gru_layer": coref_gru_layer,
    "mage_gru_layer": mage_gru_layer,
    "ga_reader_coref_gru": reader_of_coref_gru,
    "ga_reader_lambada": reader_on_lambada,
    "cg_sba": reader_of_cg_sba,
    "dassa_encoder": dassa_encoder,
}


def main(folder: str) -> None:
    for name, make in FILES.items():
        numpy.savez_compressed(Path(folder) / f"{name}.npz", **make())


if __name__ == "__main__":
    main(*sys.argv[1:])
