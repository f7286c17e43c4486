"""
The two kernels of `_triton`. Importing this needs Triton.

One program takes one sequence of the batch through all its time steps, so that nothing waits for another program. It
holds U^T (forward) or U (backward) in registers, spread over its threads, and multiplies by broadcasting and summing:
with a single row a matrix unit would stand idle, and this way a batch spreads over as many multiprocessors as it has
sequences. Where U is too large (`ON_CHIP` is false), it is read again at every step, from the caches.

Edges to the token just read take its state from registers, all others from global memory, which this same program
wrote; barriers make what one thread stored visible to the others.

Sizes are padded to `BLOCK`, a power of two: what is loaded beyond `SIZE` is zero, and nothing is stored there.
"""

import triton
import triton.language as tl


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
    # The comparison is nothing on a GPU. Triton 3.9's interpreter takes no mask that was joined with a single number.
    return tl.load(pointer, mask=mask != 0, other=0.0).to(tl.float32)


@triton.jit
def _read(
    states, memory, row, source, latest, carried, inside, j, length, memory_length,
    SIZE: tl.constexpr, HAS_MEMORY: tl.constexpr,
):  # fmt: skip
    """The part of state `source` that is `inside` the slice. `carried` is the state at `latest`."""
    own = (source >= 0) & (source < length)
    chained = own & (source == latest)
    read = _load(states + (row * length + source) * SIZE + j, inside & own & (source != latest))
    if HAS_MEMORY:
        index = source - length
        beyond = (index >= 0) & (index < memory_length)
        read += _load(memory + (row * memory_length + index) * SIZE + j, inside & beyond)
    return tl.where(inside & chained, carried, read)


@triton.jit
def _store(pointer, a, b, c, d, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    """Four vectors, one after the other. At once, because each store spreads its values anew and waits for all."""
    j = tl.arange(0, BLOCK)[:, None, None]
    pair = tl.arange(0, 2)
    place = pair[None, :, None] + 2 * pair[None, None, :]
    tl.store(pointer + place * SIZE + j, tl.join(tl.join(a, b), tl.join(c, d)), mask=(j < SIZE) & (place < 4))


@triton.jit(do_not_specialize=["length", "memory_length"])
def forward(
    inputs, sources, weights, weight_t, bias_hn, mask, memory, states, gates, previous, scratch, length, memory_length,
    RELATIONS: tl.constexpr, NUM_RELATIONS: tl.constexpr, EDGES: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr,
    CHUNK: tl.constexpr, HAS_MEMORY: tl.constexpr, SAVE: tl.constexpr, REVERSE: tl.constexpr, ON_CHIP: tl.constexpr,
):  # fmt: skip
    """
    `RELATIONS` holds four numbers a relation: its first edge, the one past its last, and the same of its slice.
    `weight_t` is (SIZE, 3 * SIZE); `gates`, which holds r, z, n and m U_n + b_n, is (batch, length, 4 * SIZE).
    """
    row = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    real = j < SIZE
    bias = _load(bias_hn + j, real)
    if ON_CHIP:
        k = tl.arange(0, BLOCK)[:, None]
        within = (k < SIZE) & real[None, :]
        weight_r = _load(weight_t + k * (3 * SIZE) + j[None, :], within)
        weight_z = _load(weight_t + k * (3 * SIZE) + SIZE + j[None, :], within)
        weight_n = _load(weight_t + k * (3 * SIZE) + 2 * SIZE + j[None, :], within)

    state = tl.full((BLOCK,), 0.0, tl.float32)
    for i in range(length):
        t = length - 1 - i if REVERSE else i
        latest = t + 1 if REVERSE else t - 1
        position = row * length + t
        valid = tl.load(mask + position) != 0
        x = inputs + position * (3 * SIZE) + j
        # Masked inputs may be NaN.
        x_r = _load(x, real & valid)
        x_z = _load(x + SIZE, real & valid)
        x_n = _load(x + 2 * SIZE, real & valid)

        m = tl.full((BLOCK,), 0.0, tl.float32)
        for relation in tl.static_range(NUM_RELATIONS):
            inside = (j >= RELATIONS[4 * relation + 2]) & (j < RELATIONS[4 * relation + 3])
            for e in range(RELATIONS[4 * relation], RELATIONS[4 * relation + 1]):
                source = tl.load(sources + position * EDGES + e)
                weight = tl.load(weights + position * EDGES + e).to(tl.float32)
                m += weight * _read(
                    states, memory, row, source, latest, state, inside, j, length, memory_length, SIZE, HAS_MEMORY
                )  # fmt: skip

        if ON_CHIP:
            column = m[:, None]
            hidden_r = tl.sum(weight_r * column, axis=0)
            hidden_z = tl.sum(weight_z * column, axis=0)
            hidden_n = tl.sum(weight_n * column, axis=0)
        else:
            # Registers can't be indexed, so m goes through memory; the first barrier awaits last step's readers.
            tl.debug_barrier()
            tl.store(scratch + row * BLOCK + j, m)
            tl.debug_barrier()
            hidden_r = tl.full((BLOCK,), 0.0, tl.float32)
            hidden_z = tl.full((BLOCK,), 0.0, tl.float32)
            hidden_n = tl.full((BLOCK,), 0.0, tl.float32)
            for first in range(0, BLOCK, CHUNK):
                k = first + tl.arange(0, CHUNK)
                column = tl.load(scratch + row * BLOCK + k)[:, None]
                w = weight_t + k[:, None] * (3 * SIZE) + j[None, :]
                within = (k < SIZE)[:, None] & real[None, :]
                hidden_r += tl.sum(_load(w, within) * column, axis=0)
                hidden_z += tl.sum(_load(w + SIZE, within) * column, axis=0)
                hidden_n += tl.sum(_load(w + 2 * SIZE, within) * column, axis=0)

        r = _sigmoid(x_r + hidden_r)
        z = _sigmoid(x_z + hidden_z)
        hidden_n += bias
        n = _tanh(x_n + r * hidden_n)
        state = tl.where(valid, (1.0 - z) * n + z * m, 0.0)
        tl.store(states + position * SIZE + j, state, mask=real)
        if SAVE:
            _store(gates + position * (4 * SIZE), r, z, n, hidden_n, SIZE, BLOCK)
            tl.store(previous + position * SIZE + j, m, mask=real)
        tl.debug_barrier()


@triton.jit
def _saved(gates, previous, grad_states, mask, position, k, SIZE: tl.constexpr):
    """
    The values that the backward step at `position` starts from: r, z, n, m U_n + b_n, m and the gradient of the state.
    """
    real = k < SIZE
    gate = gates + position * (4 * SIZE) + k
    r = _load(gate, real)
    z = _load(gate + SIZE, real)
    n = _load(gate + 2 * SIZE, real)
    hidden_n = _load(gate + 3 * SIZE, real)
    m = _load(previous + position * SIZE + k, real)
    grad = _load(grad_states + position * SIZE + k, real)
    # A masked token's gradient from outside may be anything.
    valid = tl.load(mask + position) != 0
    return r, z, n, hidden_n, m, tl.where(valid, grad, 0.0)


@triton.jit(do_not_specialize=["length", "memory_length"])
def backward(
    grad_states, grad_memory, grad_gates, grad_weights, sources, weights, weight_hh, mask, memory, states, gates,
    previous, scratch, length, memory_length,
    RELATIONS: tl.constexpr, NUM_RELATIONS: tl.constexpr, EDGES: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr,
    CHUNK: tl.constexpr, HAS_MEMORY: tl.constexpr, WEIGHT_GRADS: tl.constexpr, REVERSE: tl.constexpr,
    ON_CHIP: tl.constexpr,
):  # fmt: skip
    """
    `grad_states` (float32) comes in with the gradient from outside and collects what later tokens send to what they
    read; so does `grad_memory`, which comes in as zeros. `grad_gates`, (batch, length, 4 * SIZE), gets the gradients of
    the three projected inputs and of m U_n + b_n.
    """
    row = tl.program_id(0).to(tl.int64)
    k = tl.arange(0, BLOCK)
    real = k < SIZE
    if ON_CHIP:
        j = tl.arange(0, BLOCK)[:, None]
        within = (j < SIZE) & real[None, :]
        weight_r = _load(weight_hh + j * SIZE + k[None, :], within)
        weight_z = _load(weight_hh + (SIZE + j) * SIZE + k[None, :], within)
        weight_n = _load(weight_hh + (2 * SIZE + j) * SIZE + k[None, :], within)

    # The gradient that the token just done, which comes after this one, sends to this one's state.
    carried = tl.full((BLOCK,), 0.0, tl.float32)
    nothing = tl.full((BLOCK,), 0.0, tl.float32)
    position = row * length + (0 if REVERSE else length - 1)
    r, z, n, hidden_n, m, grad = _saved(gates, previous, grad_states, mask, position, k, SIZE)
    for i in range(length):
        t = i if REVERSE else length - 1 - i
        earlier = t + 1 if REVERSE else t - 1
        position = row * length + t
        # Asked for one step ahead, because everything else waits for it. What this step sends there is in `carried`.
        ahead = position if i + 1 == length else row * length + earlier
        next_r, next_z, next_n, next_hidden_n, next_m, next_grad = _saved(
            gates, previous, grad_states, mask, ahead, k, SIZE
        )  # fmt: skip
        grad += carried

        grad_n = grad * (1.0 - z) * (1.0 - n * n)
        grad_z = grad * (m - n) * z * (1.0 - z)
        grad_r = grad_n * hidden_n * r * (1.0 - r)
        grad_hidden = grad_n * r
        _store(grad_gates + position * (4 * SIZE), grad_r, grad_z, grad_n, grad_hidden, SIZE, BLOCK)

        grad_m = grad * z
        if ON_CHIP:
            products = weight_r * grad_r[:, None] + weight_z * grad_z[:, None] + weight_n * grad_hidden[:, None]
            grad_m += tl.sum(products, axis=0)
        else:
            column = scratch + row * (3 * BLOCK)
            tl.debug_barrier()
            tl.store(column + k, grad_r)
            tl.store(column + BLOCK + k, grad_z)
            tl.store(column + 2 * BLOCK + k, grad_hidden)
            tl.debug_barrier()
            for first in range(0, BLOCK, CHUNK):
                j = first + tl.arange(0, CHUNK)
                w = weight_hh + j[:, None] * SIZE + k[None, :]
                within = (j < SIZE)[:, None] & real[None, :]
                products = _load(w, within) * tl.load(column + j)[:, None]
                products += _load(w + SIZE * SIZE, within) * tl.load(column + BLOCK + j)[:, None]
                products += _load(w + 2 * SIZE * SIZE, within) * tl.load(column + 2 * BLOCK + j)[:, None]
                grad_m += tl.sum(products, axis=0)

        carried = tl.full((BLOCK,), 0.0, tl.float32)
        for relation in tl.static_range(NUM_RELATIONS):
            inside = (k >= RELATIONS[4 * relation + 2]) & (k < RELATIONS[4 * relation + 3])
            for e in range(RELATIONS[4 * relation], RELATIONS[4 * relation + 1]):
                source = tl.load(sources + position * EDGES + e)
                weight = tl.load(weights + position * EDGES + e).to(tl.float32)
                own = (source >= 0) & (source < length)
                message = tl.where(inside, weight * grad_m, 0.0)
                carried += tl.where(own & (source == earlier), message, 0.0)
                # Added where it lies, without waiting for what was there; ordered by the barriers, so always the same.
                target = grad_states + (row * length + source) * SIZE + k
                tl.atomic_add(
                    target, message, mask=(inside & own & (source != earlier)) != 0, sem="relaxed", scope="cta"
                )
                if HAS_MEMORY:
                    index = source - length
                    beyond = (index >= 0) & (index < memory_length)
                    target = grad_memory + (row * memory_length + index) * SIZE + k
                    tl.atomic_add(target, message, mask=(inside & beyond) != 0, sem="relaxed", scope="cta")
                if WEIGHT_GRADS:
                    # All states are in memory now: none is carried.
                    read = _read(
                        states, memory, row, source, length, nothing, inside, k, length, memory_length, SIZE, HAS_MEMORY
                    )  # fmt: skip
                    tl.store(grad_weights + position * EDGES + e, tl.sum(tl.where(inside, grad_m * read, 0.0), axis=0))
                tl.debug_barrier()
        r, z, n, hidden_n, m, grad = next_r, next_z, next_n, next_hidden_n, next_m, next_grad


INTERPRETED = not isinstance(forward, triton.JITFunction)
"""Whether Triton's interpreter runs these kernels, on the CPU: TRITON_INTERPRET=1 was set when they were defined."""
