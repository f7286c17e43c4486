"""
The kernels of `_triton`. Importing this needs Triton.

One program takes one sequence of the batch through all its time steps, so no program waits for another. It
holds U (forward) or its transpose (backward) in registers, spread over its threads, and multiplies without
matrix units: these would be mostly idle with a single row, and this way a batch uses as many multiprocessors
as it has sequences. If U is too large (`ON_CHIP` is false), it is read again at every step, from the caches.
The weights of the first `HELD` inputs are the exception: in bfloat16, matrix units multiply these. Triton
keeps them in shared memory, because a `tl.dot` in a loop takes them from outside the loop.

A step waits only for the state that was just computed, which comes from registers. Everything else that the
next step needs (its inputs, its edges and the older states that they lead to) is loaded a step ahead, from
global memory. The same program has written these older states; after the barrier at the end of each step, all
threads see what one thread has stored.

Sizes are padded to `BLOCK`, a power of two: values that are loaded beyond `SIZE` are zero, and nothing is
stored there.

Each thread has one output, as Triton spreads vectors of size BLOCK, and PARTS threads, one or two, share an
output. No thread then needs another's numbers before the sum over PARTS. Triton is not asked for this, so
weights are loaded as (rows, 4), where it has no choice: four numbers a thread, and rows over the threads. If
the four do not lie side by side, all are loaded as one row, of which a thread takes one number at a time.
With more dimensions, some tie, and its releases order these differently. The new shapes that weights get then
move no number to another thread. They are (PARTS, BLOCK, BLOCK / PARTS) if they stay on the chip and else
(PARTS, BLOCK, 4), see `_triton._packed`. tests/scripts/benchmarks/registers_test.py looks at what each
release makes of it.
"""

import triton
import triton.language as tl

VERSION = tuple(map(int, triton.__version__.split(".")[:2]))
"""Triton's."""

SPLITS_AT_ONCE = tl.constexpr(VERSION >= (3, 6))
"""Whether threads exchange all gates' numbers at once to split them. Triton 3.5 has them wait eight times."""

ZEROS = tl.constexpr(2048)
"""How many zeros are stored at once."""


@triton.jit
def one(output):
    tl.store(output, 1)


@triton.jit
def _sigmoid(x):
    # The exponent is never positive, so it can't overflow.
    e = tl.exp(-tl.abs(x))
    return tl.where(x < 0, e, 1.0) / (1.0 + e)


@triton.jit
def _tanh(x):
    e = tl.exp(-2.0 * tl.abs(x))
    y = (1.0 - e) / (1.0 + e)
    return tl.where(x < 0, -y, y)


@triton.jit
def _load(pointer, mask):
    # The comparison is nothing on a GPU. Triton 3.9's interpreter takes no mask that was joined with a single
    # number.
    return tl.load(pointer, mask=mask != 0, other=0.0).to(tl.float32)


@triton.jit
def _packed(pointer, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    """Loads (PARTS, BLOCK, 4) numbers that lie one after the other."""
    numbers = tl.load(pointer + tl.arange(0, PARTS * BLOCK)[:, None] * 4 + tl.arange(0, 4)[None, :])
    return tl.reshape(numbers, (PARTS, BLOCK, 4)).to(tl.float32)


@triton.jit
def _whole(weight, SIZE: tl.constexpr, PARTS: tl.constexpr, BLOCK: tl.constexpr, TRANSPOSED: tl.constexpr):
    """
    Loads a gate's weights, (outputs, inputs) or if `TRANSPOSED` (inputs, outputs), as (PARTS, BLOCK, BLOCK /
    PARTS): for each part, its inputs.
    """
    EACH: tl.constexpr = BLOCK // PARTS
    if TRANSPOSED or SIZE % 4 != 0:
        i = tl.arange(0, BLOCK * BLOCK)
        output, input = i % BLOCK, i // BLOCK % PARTS * EACH + i // (BLOCK * PARTS)
        # A thread loads one number after the other, although its neighbours load those beside it.
        place = tl.max_contiguous(input * SIZE + output if TRANSPOSED else output * SIZE + input, 1)
        numbers = _load(weight + place, (input < SIZE) & (output < SIZE))
        numbers = tl.permute(tl.reshape(numbers, (EACH, PARTS, BLOCK)), (1, 2, 0))
    else:
        row = tl.arange(0, EACH // 4 * PARTS * BLOCK)[:, None]
        output = row % BLOCK
        input = row // BLOCK % PARTS * EACH + row // (BLOCK * PARTS) * 4 + tl.arange(0, 4)[None, :]
        numbers = _load(weight + output * SIZE + input, (input < SIZE) & (output < SIZE))
        numbers = tl.permute(tl.reshape(numbers, (EACH // 4, PARTS, BLOCK, 4)), (1, 2, 0, 3))
    return tl.reshape(numbers, (PARTS, BLOCK, EACH))


@triton.jit
def _column(vector, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    """`vector` as a factor of whole weights."""
    return tl.reshape(vector, (PARTS, BLOCK // PARTS, 1))


@triton.jit
def _product(weight, column):
    """
    The product of whole weights, (PARTS, BLOCK). A thread adds one product after the other; `tl.sum` would
    add neighbours first in some releases, which takes half as many instructions again.
    """
    # The sum is of one number. It keeps Triton from adding all gates' products one after the other, see
    # `backward`.
    return tl.sum(tl.dot(weight, column, input_precision="ieee"), axis=2)


@triton.jit
def _over_parts(sums, PARTS: tl.constexpr):
    """
    The sum over the first dimension, PARTS. The threads wait for each other less often than in `tl.sum`.
    """
    if PARTS == 1:
        total = tl.sum(sums, axis=0)
    else:
        first, second = tl.split(tl.permute(sums, (1, 0)))
        total = first + second
    return total


@triton.jit
def _gates_over_parts(r, z, n, PARTS: tl.constexpr):
    """`_over_parts` of all gates at once."""
    if PARTS == 1:
        r, z, n = tl.sum(r, axis=0), tl.sum(z, axis=0), tl.sum(n, axis=0)
    else:
        gates = tl.join(tl.join(r, z), tl.join(n, n))
        if SPLITS_AT_ONCE:
            first, second = tl.split(tl.permute(gates, (1, 2, 3, 0)))
            total = first + second
        else:
            total = tl.sum(gates, axis=0)
        rz, nn = tl.split(total)
        r, z = tl.split(rz)
        n, _ = tl.split(nn)
    return r, z, n


@triton.jit
def _held(pointer, BLOCK: tl.constexpr, HELD: tl.constexpr):
    return tl.load(pointer + tl.arange(0, BLOCK)[:, None] * HELD + tl.arange(0, HELD)[None, :])


@triton.jit
def _held_column(pointer, HELD: tl.constexpr):
    """
    The first `HELD` numbers of a vector as the first of 8 columns, the least number that a matrix unit takes.
    """
    column = tl.load(pointer + tl.arange(0, HELD))[:, None]
    return tl.where(tl.arange(0, 8)[None, :] == 0, column, 0.0).to(tl.bfloat16)


@triton.jit
def _is_earlier(source, t, length, REVERSE: tl.constexpr):
    """Whether `source` is a token that is read before token `t`."""
    return (source > t) & (source < length) if REVERSE else (source >= 0) & (source < t)


@triton.jit
def _state(
    states, memory, row, t, source, wanted, j, length, memory_length, SIZE: tl.constexpr, HAS_MEMORY: tl.constexpr,
    REVERSE: tl.constexpr,
):  # fmt: skip
    """
    The `wanted` part of the state that token `t` reads from `source`, from global memory. Zeros if it is
    masked.
    """
    own = _is_earlier(source, t, length, REVERSE)
    read = _load(states + (row * length + source) * SIZE + j, wanted & own)
    if HAS_MEMORY:
        index = source - length
        beyond = (index >= 0) & (index < memory_length)
        read += _load(memory + (row * memory_length + index) * SIZE + j, wanted & beyond)
    return read


@triton.jit
def _asked(
    inputs, sources, weights, mask, memory, states, row, t, latest, j, length, memory_length,
    RELATIONS: tl.constexpr, NUM_RELATIONS: tl.constexpr, EDGES: tl.constexpr, SIZE: tl.constexpr, STRIDE: tl.constexpr,
    BLOCK: tl.constexpr, HAS_MEMORY: tl.constexpr, REVERSE: tl.constexpr,
):  # fmt: skip
    """
    Loads what the forward step of token `t` needs besides the state at `latest`: its inputs, whether it is
    masked, m without this state, and the weight of this state in m.
    """
    real = j < SIZE
    position = row * length + t
    x = inputs + position * STRIDE + j
    x_r = _load(x, real)
    x_z = _load(x + SIZE, real)
    x_n = _load(x + 2 * SIZE, real)
    valid = tl.load(mask + position) != 0
    older = tl.full((BLOCK,), 0.0, tl.float32)
    chain = tl.full((BLOCK,), 0.0, tl.float32)
    for relation in tl.static_range(NUM_RELATIONS):
        inside = (j >= RELATIONS[4 * relation + 2]) & (j < RELATIONS[4 * relation + 3])
        for e in range(RELATIONS[4 * relation], RELATIONS[4 * relation + 1]):
            source = tl.load(sources + position * EDGES + e)
            # Masked weights may be NaN.
            weight = tl.where(valid, tl.load(weights + position * EDGES + e).to(tl.float32), 0.0)
            wanted = inside & (source != latest)
            older += weight * _state(
                states, memory, row, t, source, wanted, j, length, memory_length, SIZE, HAS_MEMORY, REVERSE
            )  # fmt: skip
            chain += tl.where(inside & (source == latest), weight, 0.0)
    return x_r, x_z, x_n, valid, older, chain


@triton.jit(do_not_specialize=["length", "memory_length", "depth"])
def forward(
    inputs, sources, weights, packed, held, bias, bias_hh, mask, memory, states, gates, previous, scratch, length,
    memory_length, depth,
    RELATIONS: tl.constexpr, NUM_RELATIONS: tl.constexpr, EDGES: tl.constexpr, SIZE: tl.constexpr, STRIDE: tl.constexpr,
    BLOCK: tl.constexpr, PARTS: tl.constexpr, DEPTH: tl.constexpr, CHUNK: tl.constexpr, HELD: tl.constexpr,
    HAS_MEMORY: tl.constexpr, HAS_BIAS: tl.constexpr, HIDDEN_BIASES: tl.constexpr, SAVE: tl.constexpr,
    REVERSE: tl.constexpr, ON_CHIP: tl.constexpr,
):  # fmt: skip
    """
    `inputs` are projected, without `bias`; their rows begin `STRIDE` numbers apart. `bias_hh` has the recurrent
    biases of all gates, or (`HIDDEN_BIASES` is 1) of the candidate. `RELATIONS` has four numbers for each
    relation: its first edge, the one past its last, and the start and stop of its slice. `packed` has U of
    each gate (as it is if `ON_CHIP`), except for its first inputs, which `held` has. `depth` is `DEPTH` as a
    number that the compiler does not know: otherwise it unrolls the loop over U and spills registers. `gates`
    gets r, z, n and m U_n + b_n; it is (batch, length, 4 * SIZE).
    """
    GATE: tl.constexpr = DEPTH * PARTS * BLOCK * 4
    HELD_GATE: tl.constexpr = BLOCK * HELD
    row = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    real = j < SIZE
    hidden_bias = _load(bias_hh + (HIDDEN_BIASES - 1) * SIZE + j, real)
    bias_r = tl.full((BLOCK,), 0.0, tl.float32)
    bias_z = tl.full((BLOCK,), 0.0, tl.float32)
    bias_n = tl.full((BLOCK,), 0.0, tl.float32)
    if HAS_BIAS:
        bias_r = _load(bias + j, real)
        bias_z = _load(bias + SIZE + j, real)
        bias_n = _load(bias + 2 * SIZE + j, real)
    if HIDDEN_BIASES == 3:
        bias_r += _load(bias_hh + j, real)
        bias_z += _load(bias_hh + SIZE + j, real)
    if ON_CHIP:
        weight_r = _whole(packed, SIZE, PARTS, BLOCK, False)
        weight_z = _whole(packed + SIZE * SIZE, SIZE, PARTS, BLOCK, False)
        weight_n = _whole(packed + 2 * SIZE * SIZE, SIZE, PARTS, BLOCK, False)
    if HELD > 0:
        held_r = _held(held, BLOCK, HELD)
        held_z = _held(held + HELD_GATE, BLOCK, HELD)
        held_n = _held(held + 2 * HELD_GATE, BLOCK, HELD)

    state = tl.full((BLOCK,), 0.0, tl.float32)
    first = length - 1 if REVERSE else 0
    x_r, x_z, x_n, valid, older, chain = _asked(
        inputs, sources, weights, mask, memory, states, row, first, -1, j, length, memory_length,
        RELATIONS, NUM_RELATIONS, EDGES, SIZE, STRIDE, BLOCK, HAS_MEMORY, REVERSE,
    )  # fmt: skip
    for i in range(length):
        t = length - 1 - i if REVERSE else i
        position = row * length + t
        m = older + tl.where(chain != 0, chain * state, 0.0)
        if ON_CHIP:
            # Before the next step's loads, so that the threads' exchange of m does not wait for them.
            column = _column(m, PARTS, BLOCK)
        ahead = t if i + 1 == length else (t - 1 if REVERSE else t + 1)
        next_r, next_z, next_n, next_valid, next_older, next_chain = _asked(
            inputs, sources, weights, mask, memory, states, row, ahead, t, j, length, memory_length,
            RELATIONS, NUM_RELATIONS, EDGES, SIZE, STRIDE, BLOCK, HAS_MEMORY, REVERSE,
        )  # fmt: skip

        if ON_CHIP:
            sum_r = _product(weight_r, column)
            sum_z = _product(weight_z, column)
            sum_n = _product(weight_n, column)
        else:
            # Registers can't be indexed, so m goes through memory; the first barrier awaits last step's
            # readers.
            vector = scratch + row * BLOCK
            tl.debug_barrier()
            tl.store(vector + j, m)
            tl.debug_barrier()
            sum_r = tl.full((PARTS, BLOCK, 4), 0.0, tl.float32)
            sum_z = tl.full((PARTS, BLOCK, 4), 0.0, tl.float32)
            sum_n = tl.full((PARTS, BLOCK, 4), 0.0, tl.float32)
            for first in range(0, depth, CHUNK):
                for d in tl.static_range(CHUNK):
                    w = packed + first * (PARTS * BLOCK * 4) + d * (PARTS * BLOCK * 4)
                    column = _packed(vector + HELD + first * (PARTS * 4) + d * (PARTS * 4), PARTS, 1)
                    sum_r += _packed(w, PARTS, BLOCK) * column
                    sum_z += _packed(w + GATE, PARTS, BLOCK) * column
                    sum_n += _packed(w + 2 * GATE, PARTS, BLOCK) * column
            sum_r, sum_z, sum_n = tl.sum(sum_r, axis=2), tl.sum(sum_z, axis=2), tl.sum(sum_n, axis=2)
        hidden_r, hidden_z, hidden_n = _gates_over_parts(sum_r, sum_z, sum_n, PARTS)
        if HELD > 0:
            column = _held_column(vector, HELD)
            hidden_r += tl.sum(tl.dot(held_r, column), axis=1)
            hidden_z += tl.sum(tl.dot(held_z, column), axis=1)
            hidden_n += tl.sum(tl.dot(held_n, column), axis=1)

        # Masked inputs may be NaN.
        r = _sigmoid(tl.where(valid, x_r + bias_r, 0.0) + hidden_r)
        z = _sigmoid(tl.where(valid, x_z + bias_z, 0.0) + hidden_z)
        hidden_n += hidden_bias
        n = _tanh(tl.where(valid, x_n + bias_n, 0.0) + r * hidden_n)
        state = tl.where(valid, (1.0 - z) * n + z * m, 0.0)
        tl.store(states + position * SIZE + j, state, mask=real)
        if SAVE:
            gate = gates + position * (4 * SIZE) + j
            tl.store(gate, r, mask=real)
            tl.store(gate + SIZE, z, mask=real)
            tl.store(gate + 2 * SIZE, n, mask=real)
            tl.store(gate + 3 * SIZE, hidden_n, mask=real)
            tl.store(previous + position * SIZE + j, m, mask=real)
        tl.debug_barrier()
        x_r, x_z, x_n, valid, older, chain = next_r, next_z, next_n, next_valid, next_older, next_chain


@triton.jit
def _saved(gates, previous, grad_output, grad_states, mask, position, k, SIZE: tl.constexpr):
    """
    The values that the backward step at `position` starts from: r, z, n, m U_n + b_n, m, the gradient of the
    state, from outside and from later tokens, and whether the token is masked.
    """
    real = k < SIZE
    gate = gates + position * (4 * SIZE) + k
    r = _load(gate, real)
    z = _load(gate + SIZE, real)
    n = _load(gate + 2 * SIZE, real)
    hidden_n = _load(gate + 3 * SIZE, real)
    m = _load(previous + position * SIZE + k, real)
    grad = _load(grad_output + k, real) + _load(grad_states + k, real)
    return r, z, n, hidden_n, m, grad, tl.load(mask + position) != 0


@triton.jit(do_not_specialize=["length", "memory_length", "depth", "row_stride", "stride"])
def backward(
    grad_output, grad_states, grad_gates, sources, weights, packed, held, mask, gates, previous, scratch, length,
    memory_length, depth, row_stride, stride,
    RELATIONS: tl.constexpr, NUM_RELATIONS: tl.constexpr, EDGES: tl.constexpr, SIZE: tl.constexpr, WIDTH: tl.constexpr,
    BLOCK: tl.constexpr, PARTS: tl.constexpr, DEPTH: tl.constexpr, CHUNK: tl.constexpr, HELD: tl.constexpr,
    WEIGHT_GRADS: tl.constexpr, REVERSE: tl.constexpr, ON_CHIP: tl.constexpr, ONE_SUM: tl.constexpr,
):  # fmt: skip
    """
    `grad_output` is the gradient from outside, with the strides `row_stride`, `stride` and 1. `grad_states`
    (float32) has a row for each state and then for each of the memory. For each state, it collects the
    gradients that later tokens send to it, until its own token's turn comes; then the gradient of m is left
    there (if `WEIGHT_GRADS`). `packed` holds U of each gate if `ON_CHIP`, and else its transpose. If
    `ONE_SUM`, the products of all gates are added one after the other, which takes fewer registers and waits
    longer. `grad_gates`, (batch, length, WIDTH + 3 * SIZE), gets the gradients of the three projected inputs
    and, in its last columns, of the three recurrent parts. The two of r are equal, and those of z.
    """
    GATE: tl.constexpr = DEPTH * PARTS * BLOCK * 4
    HELD_GATE: tl.constexpr = BLOCK * HELD
    row = tl.program_id(0).to(tl.int64)
    k = tl.arange(0, BLOCK)
    real = k < SIZE
    if ON_CHIP:
        weight_r = _whole(packed, SIZE, PARTS, BLOCK, True)
        weight_z = _whole(packed + SIZE * SIZE, SIZE, PARTS, BLOCK, True)
        weight_n = _whole(packed + 2 * SIZE * SIZE, SIZE, PARTS, BLOCK, True)
    if HELD > 0:
        held_r = _held(held, BLOCK, HELD)
        held_z = _held(held + HELD_GATE, BLOCK, HELD)
        held_n = _held(held + 2 * HELD_GATE, BLOCK, HELD)

    grad_output += row * row_stride
    grad_states += row * (length + memory_length) * SIZE
    for first in range(0, (length + memory_length) * SIZE, ZEROS):
        i = first + tl.arange(0, ZEROS)
        tl.store(grad_states + i, tl.full((ZEROS,), 0.0, tl.float32), i < (length + memory_length) * SIZE)
    tl.debug_barrier()

    # The gradient that the token just done, which comes after this one, sends to this one's state.
    carried = tl.full((BLOCK,), 0.0, tl.float32)
    t = 0 if REVERSE else length - 1
    r, z, n, hidden_n, m, grad, valid = _saved(
        gates, previous, grad_output + t * stride, grad_states + t * SIZE, mask, row * length + t, k, SIZE
    )  # fmt: skip
    for i in range(length):
        t = i if REVERSE else length - 1 - i
        earlier = t + 1 if REVERSE else t - 1
        position = row * length + t
        # A masked token's gradient from outside may be anything, and what reads it reads zeros.
        grad = tl.where(valid, grad + carried, 0.0)
        grad_n = grad * (1.0 - z) * (1.0 - n * n)
        grad_z = grad * (m - n) * z * (1.0 - z)
        grad_r = grad_n * hidden_n * r * (1.0 - r)
        grad_hidden = grad_n * r
        # Asked for a step ahead. What this step sends there is in `carried`.
        ahead = t if i + 1 == length else earlier
        next_r, next_z, next_n, next_hidden_n, next_m, next_grad, next_valid = _saved(
            gates, previous, grad_output + ahead * stride, grad_states + ahead * SIZE, mask, row * length + ahead, k,
            SIZE,
        )  # fmt: skip
        gate = grad_gates + position * (WIDTH + 3 * SIZE) + k
        tl.store(gate, grad_r, mask=real)
        tl.store(gate + SIZE, grad_z, mask=real)
        tl.store(gate + 2 * SIZE, grad_n, mask=real)
        tl.store(gate + WIDTH, grad_r, mask=real)
        tl.store(gate + WIDTH + SIZE, grad_z, mask=real)
        tl.store(gate + WIDTH + 2 * SIZE, grad_hidden, mask=real)

        if ON_CHIP:
            column_r, column_z = _column(grad_r, PARTS, BLOCK), _column(grad_z, PARTS, BLOCK)
            column_n = _column(grad_hidden, PARTS, BLOCK)
            if ONE_SUM:
                sums = tl.dot(weight_r, column_r, input_precision="ieee")
                sums = tl.dot(weight_z, column_z, sums, input_precision="ieee")
                sums = tl.sum(tl.dot(weight_n, column_n, sums, input_precision="ieee"), axis=2)
            else:
                sums = (
                    _product(weight_r, column_r) + _product(weight_z, column_z) + _product(weight_n, column_n)
                )
        else:
            vectors = scratch + row * (3 * BLOCK)
            tl.debug_barrier()
            tl.store(vectors + k, grad_r)
            tl.store(vectors + BLOCK + k, grad_z)
            tl.store(vectors + 2 * BLOCK + k, grad_hidden)
            tl.debug_barrier()
            sums = tl.full((PARTS, BLOCK, 4), 0.0, tl.float32)
            for first in range(0, depth, CHUNK):
                for d in tl.static_range(CHUNK):
                    w = packed + first * (PARTS * BLOCK * 4) + d * (PARTS * BLOCK * 4)
                    column = vectors + HELD + first * (PARTS * 4) + d * (PARTS * 4)
                    sums += _packed(w, PARTS, BLOCK) * _packed(column, PARTS, 1)
                    sums += _packed(w + GATE, PARTS, BLOCK) * _packed(column + BLOCK, PARTS, 1)
                    sums += _packed(w + 2 * GATE, PARTS, BLOCK) * _packed(column + 2 * BLOCK, PARTS, 1)
            sums = tl.sum(sums, axis=2)
        grad_m = grad * z + _over_parts(sums, PARTS)
        if HELD > 0:
            product = tl.dot(held_r, _held_column(vectors, HELD))
            product = tl.dot(held_z, _held_column(vectors + BLOCK, HELD), product)
            product = tl.dot(held_n, _held_column(vectors + 2 * BLOCK, HELD), product)
            grad_m += tl.sum(product, axis=1)
        if WEIGHT_GRADS:
            tl.store(grad_states + t * SIZE + k, grad_m, mask=real)

        carried = tl.full((BLOCK,), 0.0, tl.float32)
        for relation in tl.static_range(NUM_RELATIONS):
            inside = (k >= RELATIONS[4 * relation + 2]) & (k < RELATIONS[4 * relation + 3])
            for e in range(RELATIONS[4 * relation], RELATIONS[4 * relation + 1]):
                source = tl.load(sources + position * EDGES + e)
                weight = tl.load(weights + position * EDGES + e).to(tl.float32)
                beyond = (source >= length) & (source < length + memory_length)
                exists = valid & (beyond | _is_earlier(source, t, length, REVERSE))
                message = tl.where(inside, weight * grad_m, 0.0)
                carried += tl.where(exists & (source == earlier), message, 0.0)
                # Added where it lies, without waiting for what was there; ordered by the barriers, so always
                # the same.
                target = grad_states + source * SIZE + k
                # In reverse, `earlier` is a place of the memory at last, of which nothing is carried any
                # more.
                elsewhere = (inside & exists & ((source != earlier) | (i + 1 == length))) != 0
                tl.atomic_add(target, message, mask=elsewhere, sem="relaxed", scope="cta")
                tl.debug_barrier()
        r, z, n, hidden_n = next_r, next_z, next_n, next_hidden_n
        m, grad, valid = next_m, next_grad, next_valid


@triton.jit
def _largest(x, y):
    return tl.maximum(x, y)


@triton.jit(do_not_specialize=["length", "memory_length"])
def edge_sources(
    mask, memory_mask, given, sources, length, memory_length, OTHER_SEQUENCE: tl.constexpr,
    FIRST_MENTION: tl.constexpr, EDGES: tl.constexpr, HAS_MEMORY: tl.constexpr, CONTINUES: tl.constexpr,
    REVERSE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """
    `edges.sources_of`, as (batch, length, EDGES): the sequential edge of each token, and then the `EDGES - 1`
    that are `given`. A program takes one sequence, `BLOCK` tokens at a time.
    """
    row = tl.program_id(0).to(tl.int64)
    mask += row * length
    sources += row * length * EDGES
    block = tl.arange(0, BLOCK)
    # The state before each block, from which its first token starts. Tokens are counted as they are read.
    start = length * 0 - 1
    if CONTINUES:
        handed = 0
        for first in range(0, memory_length, BLOCK):
            i = first + block
            token = memory_length - 1 - i if REVERSE else i
            exists = tl.load(memory_mask + row * memory_length + token, mask=i < memory_length, other=0) != 0
            handed = tl.maximum(handed, tl.max(tl.where(exists, i, 0), axis=0))
        start = length + (memory_length - 1 - handed if REVERSE else handed)
    tl.store(sources + (length - 1 if REVERSE else 0) * EDGES, start)
    for first in range(0, length, BLOCK):
        i = first + block
        token = length - 1 - i if REVERSE else i
        exists = tl.load(mask + token, mask=i < length, other=0) != 0
        last = tl.associative_scan(tl.where(exists, i, -1), 0, _largest)
        source = tl.where(last < 0, start, length - 1 - last if REVERSE else last)
        # The next token reads it.
        tl.store(sources + (token - 1 if REVERSE else token + 1) * EDGES, source, mask=i + 1 < length)
        end = tl.max(last, axis=0)
        start = tl.where(end < 0, start, length - 1 - end if REVERSE else end)
        if EDGES > 1:
            for e in range(1, EDGES):
                read = tl.load(given + (row * length + token) * (EDGES - 1) + e - 1, mask=i < length, other=0)
                elsewhere = OTHER_SEQUENCE + length - read if HAS_MEMORY else FIRST_MENTION
                tl.store(
                    sources + token * EDGES + e,
                    tl.where(read <= OTHER_SEQUENCE, elsewhere, read),
                    mask=i < length,
                )


@triton.jit(do_not_specialize=["tokens"])
def edge_weights(
    inputs, given, mask, weights, tokens,
    RELATIONS: tl.constexpr, NUM_RELATIONS: tl.constexpr, EDGES: tl.constexpr, SIZE: tl.constexpr, STRIDE: tl.constexpr,
    TOKENS: tl.constexpr,
):  # fmt: skip
    """
    The softmax over the edges of a token whose `given` weights are not 0; the others have the weight 0, and
    so have all edges of a masked token. The score of a relation's edges is in the columns of `inputs` behind
    the projected ones. A program does `TOKENS` of all `tokens`.
    """
    position = tl.program_id(0).to(tl.int64) * TOKENS + tl.arange(0, TOKENS)
    real = position < tokens
    read = real & (tl.load(mask + position, mask=real, other=0) != 0)
    scores = inputs + position * STRIDE + 3 * SIZE
    given += position * EDGES
    weights += position * EDGES
    largest = tl.full((TOKENS,), -3.0e38, tl.float32)
    for relation in tl.static_range(NUM_RELATIONS):
        score = _load(scores + relation, real)
        for e in range(RELATIONS[4 * relation], RELATIONS[4 * relation + 1]):
            largest = tl.maximum(largest, tl.where(_load(given + e, read) != 0, score, -3.0e38))
    total = tl.full((TOKENS,), 0.0, tl.float32)
    for relation in tl.static_range(NUM_RELATIONS):
        score = _load(scores + relation, real)
        for e in range(RELATIONS[4 * relation], RELATIONS[4 * relation + 1]):
            exists = _load(given + e, read) != 0
            weight = tl.where(exists, tl.exp(tl.where(exists, score - largest, 0.0)), 0.0)
            total += weight
            tl.store(weights + e, weight, mask=real)
    for e in range(EDGES):
        tl.store(weights + e, _load(weights + e, real) / tl.where(total == 0, 1.0, total), mask=real)


@triton.jit(do_not_specialize=["length", "memory_length"])
def edge_gradients(
    grad_previous, grad_weights, grad_gates, sources, weights, memory, states, length, memory_length,
    RELATIONS: tl.constexpr, NUM_RELATIONS: tl.constexpr, EDGES: tl.constexpr, SIZE: tl.constexpr, WIDTH: tl.constexpr,
    BLOCK: tl.constexpr, HAS_MEMORY: tl.constexpr, SCORES: tl.constexpr, REVERSE: tl.constexpr,
):  # fmt: skip
    """
    The gradients of the edges' weights, for one token a program: for each edge the product of the gradient of
    m (`grad_previous`, as `backward` leaves it) with the state that it leads to. If the weights are a
    softmax, `SCORES` is a power of two that is not below the number of relations, and `grad_gates` gets the
    gradients of the scores.
    """
    position = tl.program_id(0).to(tl.int64)
    row = position // length
    t = position - row * length
    j = tl.arange(0, BLOCK)
    grad_m = _load(grad_previous + (position + row * memory_length) * SIZE + j, j < SIZE)
    if SCORES > 0:
        number = tl.arange(0, SCORES)
        shares = tl.full((SCORES,), 0.0, tl.float32)
        products = tl.full((SCORES,), 0.0, tl.float32)
    for relation in tl.static_range(NUM_RELATIONS):
        inside = (j >= RELATIONS[4 * relation + 2]) & (j < RELATIONS[4 * relation + 3])
        for e in range(RELATIONS[4 * relation], RELATIONS[4 * relation + 1]):
            source = tl.load(sources + position * EDGES + e)
            read = _state(
                states, memory, row, t, source, inside, j, length, memory_length, SIZE, HAS_MEMORY, REVERSE
            )  # fmt: skip
            product = tl.sum(grad_m * read, axis=0)
            if SCORES > 0:
                weight = tl.load(weights + position * EDGES + e).to(tl.float32)
                shares += tl.where(number == relation, weight, 0.0)
                products += tl.where(number == relation, weight * product, 0.0)
            else:
                tl.store(grad_weights + position * EDGES + e, product)
    if SCORES > 0:
        scores = grad_gates + position * (WIDTH + 3 * SIZE) + 3 * SIZE + number
        tl.store(scores, products - shares * tl.sum(products, axis=0), mask=number < NUM_RELATIONS)


INTERPRETED = not isinstance(forward, triton.JITFunction)
"""
Whether Triton's interpreter runs these kernels, on the CPU: TRITON_INTERPRET=1 was set when they were
defined.
"""
