// The time loop of `recurrence` and its backward for the CPU; see dispatch.py for the equations.
//
// Each thread reads its own sequences, a few at a time, from the first step to the last, so that threads never wait for
// each other. A step is one small matrix product over the tokens that are not masked, with the gates computed on its
// result while that is still in registers. The inputs of some steps are projected together, and backward keeps the
// gradients of some steps and adds their part of the gradients of the weights and of the inputs, while all this is in
// the cache. Sums of one token are taken in the same order however the batch is split, so that only the gradients of
// the parameters depend on the number of threads.
//
// This file is compiled once for each instruction set, with VARIANT as its name, and all go into one library. Plain
// C++17 with the vector types of GCC and Clang. All arrays are contiguous but `inputs`, whose last dimension is.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <numeric>
#include <thread>
#include <type_traits>
#include <vector>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace {

#if defined(__AVX512F__)
constexpr int VECTOR_BYTES = 64, FLOAT_ROWS = 8;
#elif defined(__AVX__)
constexpr int VECTOR_BYTES = 32, FLOAT_ROWS = 4;
#else
constexpr int VECTOR_BYTES = 16, FLOAT_ROWS = 4;
#endif
// How many rows, and how many vectors of columns, a product computes at once. They fit into the registers. In float64,
// which is for checks, they are fewer, and the compiler has half the work.
template <class T> constexpr int MAX_ROWS = sizeof(T) == sizeof(float) ? FLOAT_ROWS : 2;
template <class T> constexpr int MAX_VECTORS = sizeof(T) == sizeof(float) ? 3 : 1;

// How many sequences a thread reads at the same time: enough to keep the processor busy, few enough that what they read
// and write stays in the first cache.
constexpr int64_t TILE = 8;


// How many tokens are projected at once. Backward keeps the gradients of as many before it adds their part of the
// gradients of the weights and computes those of their inputs.
constexpr int64_t KEPT = 128;

template <class T> struct Simd;

template <> struct Simd<float> {
  typedef float Vector __attribute__((vector_size(VECTOR_BYTES)));
  typedef int32_t Integer __attribute__((vector_size(VECTOR_BYTES)));
  static constexpr int MANTISSA_BITS = 23, EXPONENT_BIAS = 127, TERMS = 7;
  // exp(LIMIT) and its reciprocal are normal numbers.
  static constexpr float LIMIT = 87.0f;
};

template <> struct Simd<double> {
  typedef double Vector __attribute__((vector_size(VECTOR_BYTES)));
  typedef int64_t Integer __attribute__((vector_size(VECTOR_BYTES)));
  static constexpr int MANTISSA_BITS = 52, EXPONENT_BIAS = 1023, TERMS = 13;
  static constexpr double LIMIT = 708.0;
};

template <class T> using Vector = typename Simd<T>::Vector;
template <class T> constexpr int64_t LANES = VECTOR_BYTES / sizeof(T);

int64_t divide_up(int64_t x, int64_t by) { return (x + by - 1) / by; }

// `x` rounded up to whole vectors.
template <class T> int64_t padded(int64_t x) { return divide_up(x, LANES<T>) * LANES<T>; }

// The distance of rows of `x` numbers: an odd number of cache lines, as rows at even distances compete for few places
// in the first cache.
template <class T> int64_t apart(int64_t x) {
  constexpr int64_t line = 64 / sizeof(T);
  return (divide_up(x, line) | 1) * line;
}

// Zeros that begin where a vector may begin.
template <class T> class Buffer {
 public:
  explicit Buffer(int64_t count) : storage(count + LANES<T>) {
    const auto address = reinterpret_cast<uintptr_t>(storage.data());
    data = storage.data() + (VECTOR_BYTES - address % VECTOR_BYTES) % VECTOR_BYTES / sizeof(T);
  }
  Buffer(const Buffer&) = delete;
  operator T*() { return data; }
  operator const T*() const { return data; }

 private:
  std::vector<T> storage;
  T* data;
};

template <class T> inline Vector<T> broadcast(T x) { return x - Vector<T>{}; }

template <class T> inline Vector<T> load(const T* from) {
  Vector<T> x;
  std::memcpy(&x, from, sizeof(x));
  return x;
}

template <class T> inline Vector<T> load(const T* from, int64_t count) {
  if (__builtin_expect(count >= LANES<T>, 1)) return load(from);
  Vector<T> x{};
  for (int64_t i = 0; i < count; ++i) x[i] = from[i];
  return x;
}

template <class T> inline void store(T* to, const Vector<T>& x) { std::memcpy(to, &x, sizeof(x)); }

template <class T> inline void store(T* to, const Vector<T>& x, int64_t count) {
  if (__builtin_expect(count >= LANES<T>, 1)) return store(to, x);
  for (int64_t i = 0; i < count; ++i) to[i] = x[i];
}

template <class T> inline T sum_of(const Vector<T>& x) {
  T sums[LANES<T>];
  std::memcpy(sums, &x, sizeof(x));
  for (int64_t half = LANES<T> / 2; half; half /= 2)
    for (int64_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  return sums[0];
}

// 1 / x of an x >= 1.
template <class T> inline Vector<T> reciprocal(Vector<T> x) { return T(1) / x; }

#if defined(__AVX512F__)
template <> inline Vector<float> reciprocal<float>(Vector<float> x) {
  const Vector<float> estimate = _mm512_rcp14_ps(x);
  return estimate + estimate * (1 - x * estimate);
}
#endif

// 2^y = 1 + ln 2 y + (ln 2 y)^2 / 2! + ...
template <class T> struct Series {
  T factors[Simd<T>::TERMS + 1];
  constexpr Series() : factors() {
    double factor = 1;
    for (int k = 0; k <= Simd<T>::TERMS; ++k) {
      factors[k] = T(factor);
      factor *= 0.69314718055994530942 / (k + 1);
    }
  }
};

// 1 / (1 + exp(x)); NaN stays NaN.
template <class T> inline Vector<T> logistic(Vector<T> x) {
  using S = Simd<T>;
  constexpr Series<T> series;
  constexpr T log2_e = T(1.44269504088896340736);
  // Adding this number rounds to an integer n, whose bits are then the lowest: exp(x) = 2^n 2^y.
  constexpr T rounder = T(int64_t(3) << (S::MANTISSA_BITS - 1));
  x = x > S::LIMIT ? broadcast<T>(S::LIMIT) : x;
  x = x < -S::LIMIT ? broadcast<T>(-S::LIMIT) : x;
  const Vector<T> rounded = x * log2_e + rounder;
  const Vector<T> y = x * log2_e - (rounded - rounder);
  Vector<T> root = broadcast<T>(series.factors[S::TERMS]);
#pragma GCC unroll 16
  for (int k = S::TERMS - 1; k >= 0; --k) root = root * y + series.factors[k];
  typename S::Integer exponent;
  std::memcpy(&exponent, &rounded, sizeof(exponent));
  exponent = (exponent + S::EXPONENT_BIAS) << S::MANTISSA_BITS;
  Vector<T> power;
  std::memcpy(&power, &exponent, sizeof(power));
  return reciprocal<T>(root * power + T(1));
}

template <class T> inline Vector<T> sigmoid(Vector<T> x) { return logistic<T>(-x); }

template <class T> inline Vector<T> tanh(Vector<T> x) { return T(1) - T(2) * logistic<T>(x + x); }

// What the next step will read and write. A product asks for one cache line of it in each of its rounds, since all at
// once would wait for the memory.
class Wanted {
 public:
  explicit Wanted(int64_t most) : ranges(most + 1) { begin(); }

  void clear() { last = 0; }

  template <class T> void add(const T* from, int64_t count) {
    ranges[last++] = {reinterpret_cast<uintptr_t>(from), reinterpret_cast<uintptr_t>(from + count), LINE};
  }

  // To be called when all has been added. Then, and at the end, comes a range that is never left.
  void begin() {
    ranges[last] = {reinterpret_cast<uintptr_t>(this), UINTPTR_MAX, 0};
    current = 0;
    now = ranges[0];
  }

  void fetch() {
    __builtin_prefetch(reinterpret_cast<const void*>(now.begin), 0, 2);
    now.begin += now.step;
    if (__builtin_expect(now.begin >= now.end, 0)) now = ranges[++current];
  }

 private:
  static constexpr uintptr_t LINE = 64;
  struct Range {
    uintptr_t begin, end, step;
  };
  std::vector<Range> ranges;
  Range now;
  int64_t last = 0, current = 0;
};

// sums[i] += rows[i] @ packed, where `packed` has VECTORS vectors for each of `depth` rows, `step` numbers apart.
template <class T, int ROWS, int VECTORS>
inline void multiply(const T* rows, int64_t stride, int64_t next, const T* packed, int64_t step, int64_t depth,
                     Vector<T> (&sums)[ROWS][VECTORS], Wanted& wanted) {
  for (int64_t k = 0; k < depth; ++k) {
    wanted.fetch();
    Vector<T> columns[VECTORS];
#pragma GCC unroll 4
    for (int v = 0; v < VECTORS; ++v) columns[v] = load(packed + k * step + v * LANES<T>);
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; ++i) {
      const Vector<T> x = broadcast(rows[i * stride + k * next]);
#pragma GCC unroll 4
      for (int v = 0; v < VECTORS; ++v) sums[i][v] += x * columns[v];
    }
  }
}

// Calls `body` for blocks of rows, as large as the registers hold, that cover 0 .. count.
template <int ROWS, class Body> inline void in_blocks(int64_t count, const Body& body, int64_t first = 0) {
  for (; first + ROWS <= count; first += ROWS) body(std::integral_constant<int, ROWS>(), first);
  if constexpr (ROWS > 1) {
    if (first < count) in_blocks<ROWS / 2>(count, body, first);
  }
}

// Calls `body` for panels of vectors of columns that cover 0 .. count. Four vectors make two panels of two, since a
// panel of one is slow.
template <int VECTORS, class Body>
inline void in_panels(int64_t count, const Body& body, int64_t first = 0) {
  for (; first + VECTORS <= count && !(VECTORS == 3 && first + 4 == count); first += VECTORS)
    body(std::integral_constant<int, VECTORS>(), first);
  if constexpr (VECTORS > 1) {
    if (first < count) in_panels<VECTORS - 1>(count, body, first);
  }
}

}  // namespace

extern "C" {

// These mirror the structures of the same names in _cpp.py.
struct Relation {
  const int64_t* sources;  // (batch, length, edges)
  void* weights;           // (batch, length, edges); with keys, forward replaces them by their softmax
  void* grad_weights;      // (batch, length, edges), filled with zeros; null if not needed; with keys always there
  int64_t edges, start, stop, to;
};

struct Problem {
  int64_t batch, length, memory_length, size, width, features, threads, num_relations, reverse;
  int64_t inputs_batch_stride, inputs_time_stride;
  const Relation* relations;
  void (*parallel)(void (*)(void*), void*, unsigned, unsigned);  // OpenMP's, if there is one
  const bool* mask;        // (batch, length)
  const void* inputs;      // (batch, length, features), or (batch, length, 3 size) if they are projected: features is 0
  const void* weight_ih;   // (3 size, features)
  const void* bias;        // (3 size), added to the projected inputs
  const void* keys;        // (num_relations, features), or null
  const void* weight_hh;   // (3 size, width), width >= size
  const void* bias_hn;     // (size)
  const void* memory;      // (batch, memory_length, size)
  void* states;            // (batch, length, size)
  void* gates;             // (batch, length, 4 size): r, z, n, m U_n + b_n; null if there will be no backward
  void* grad_states;       // (batch, length, size), filled with the gradients from outside; added to
  void* grad_memory;       // (batch, memory_length, size), filled with zeros; added to
  void* grad_inputs;       // (batch, length, features or 3 size); null if not needed
  void* grad_weight_ih;    // (3 size, features), filled with zeros
  void* grad_bias;         // (3 size), filled with zeros
  void* grad_keys;         // (num_relations, features), filled with zeros
  void* grad_weight_hh;    // (3 size, width), filled with zeros
  void* grad_bias_hn;      // (size), filled with zeros
};

}  // extern "C"

namespace {

// The sequences of each thread: dealt out from the longest to the shortest, so that all have about as much to do.
std::vector<std::vector<int64_t>> deal(const Problem& p) {
  std::vector<int64_t> lengths(p.batch), order(p.batch);
  for (int64_t b = 0; b < p.batch; ++b)
    lengths[b] = std::count(p.mask + b * p.length, p.mask + (b + 1) * p.length, true);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<int64_t>> hands(std::max<int64_t>(1, std::min(p.threads, p.batch)));
  for (int64_t i = 0; i < p.batch; ++i) hands[i % hands.size()].push_back(order[i]);
  return hands;
}

// Calls body(i) for i in 0 .. count, each in a thread.
template <class Body> void in_threads(const Problem& p, int64_t count, const Body& body) {
  struct Shared {
    const Body& body;
    const int64_t count;
    std::atomic<int64_t> next{0};
  } shared{body, count};
  const auto work = [](void* pointer) {
    Shared& shared = *static_cast<Shared*>(pointer);
    for (int64_t i; (i = shared.next++) < shared.count;) shared.body(i);
  };
  if (count == 1) {
    work(&shared);
  } else if (p.parallel) {
    p.parallel(work, &shared, count, 0);
  } else {
    std::vector<std::thread> threads;
    for (int64_t i = 1; i < count; ++i) threads.emplace_back(work, &shared);
    work(&shared);
    for (auto& thread : threads) thread.join();
  }
}

// The state that a source means, in arrays like those of the states and of the memory.
template <class T> inline T* state_of(const Problem& p, int64_t b, int64_t source, T* states, T* memory) {
  return source < p.length ? states + (b * p.length + source) * p.size
                           : memory + (b * p.memory_length + source - p.length) * p.size;
}

// Calls use(relation, e, source) for each edge by which a token reads something: a state that is not masked and has
// been computed before, or a row of the memory.
template <class Use> inline void for_edges(const Problem& p, int64_t b, int64_t t, const Use& use) {
  for (int64_t r = 0; r < p.num_relations; ++r) {
    const Relation& relation = p.relations[r];
    const int64_t first = (b * p.length + t) * relation.edges;
    for (int64_t e = first; e < first + relation.edges; ++e) {
      const int64_t source = relation.sources[e];
      if (source < 0) continue;
      if (source < p.length && ((p.reverse ? source <= t : source >= t) || !p.mask[b * p.length + source])) continue;
      use(relation, e, source);
    }
  }
}

// m of a token: the weighted sum of what it reads.
template <class T> inline void gather(const Problem& p, int64_t b, int64_t t, T* __restrict m) {
  for (int64_t j = 0; j < p.width; j += LANES<T>) store(m + j, Vector<T>{});
  for_edges(p, b, t, [&](const Relation& relation, int64_t e, int64_t source) {
    T* __restrict to = m + relation.to;
    const int64_t carried = relation.stop - relation.start;
    const T* h = state_of(p, b, source, (const T*)p.states, (const T*)p.memory) + relation.start;
    const T weight = ((const T*)relation.weights)[e];
    for (int64_t j = 0; j < carried; j += LANES<T>)
      store(to + j, load(to + j, carried - j) + weight * load(h + j, carried - j), carried - j);
  });
}

// Adds the states that a token reads, and in backward their gradients.
template <class T> inline void want_sources(const Problem& p, int64_t b, int64_t t, Wanted& wanted) {
  for_edges(p, b, t, [&](const Relation& relation, int64_t, int64_t source) {
    const int64_t start = relation.start, carried = relation.stop - start;
    wanted.add(state_of(p, b, source, (const T*)p.states, (const T*)p.memory) + start, carried);
    if (!p.grad_states) return;
    wanted.add(state_of(p, b, source, (const T*)p.grad_states, (const T*)p.grad_memory) + start, carried);
  });
}

// The sum of the products of a row of whole vectors and of `count` numbers.
template <class T> inline T dot(const T* row, const T* numbers, int64_t count) {
  Vector<T> products{};
  for (int64_t j = 0; j < count; j += LANES<T>) products += load(row + j, count - j) * load(numbers + j, count - j);
  return sum_of<T>(products);
}

// Replaces the weights of a token's edges that are not 0 by a softmax of their relations' logits.
template <class T> inline void weigh(const Problem& p, int64_t token, const T* logits) {
  T most = -std::numeric_limits<T>::infinity(), total = 0;
  const auto weights_of = [&](int64_t r) { return (T*)p.relations[r].weights + token * p.relations[r].edges; };
  for (int64_t r = 0; r < p.num_relations; ++r)
    for (int64_t e = 0; e < p.relations[r].edges; ++e)
      if (weights_of(r)[e] != 0) most = std::max(most, logits[r]);
  for (int64_t r = 0; r < p.num_relations; ++r) {
    const T power = std::exp(logits[r] - most);
    for (int64_t e = 0; e < p.relations[r].edges; ++e)
      if (weights_of(r)[e] != 0) total += weights_of(r)[e] = power;
  }
  for (int64_t r = 0; r < p.num_relations; ++r)
    for (int64_t e = 0; e < p.relations[r].edges; ++e)
      if (weights_of(r)[e] != 0) weights_of(r)[e] /= total;
}

// How many ranges of memory a step wants at most.
int64_t ranges_of(const Problem& p) {
  int64_t edges = 0;
  for (int64_t r = 0; r < p.num_relations; ++r) edges += p.relations[r].edges;
  return TILE * (2 * edges + 3);
}

// Weights of shape (3 size, depth) as forward reads them: for each vector of state columns and each row the three gates
// side by side.
template <class T> void pack_forward(const Problem& p, const void* weights, int64_t depth, T* packed) {
  for (int64_t gate = 0; gate < 3; ++gate)
    for (int64_t j = 0; j < p.size; ++j)
      for (int64_t k = 0; k < depth; ++k)
        packed[((j / LANES<T> * depth + k) * 3 + gate) * LANES<T> + j % LANES<T>] =
            ((const T*)weights)[(gate * p.size + j) * depth + k];
}

// The inputs of a token.
template <class T> inline const T* inputs_of(const Problem& p, int64_t b, int64_t t) {
  return (const T*)p.inputs + b * p.inputs_batch_stride + t * p.inputs_time_stride;
}

// Copies the features of a token into a row of whole vectors.
template <class T> inline void copy_features(const Problem& p, int64_t b, int64_t t, T* row) {
  const T* x = inputs_of<T>(p, b, t);
  for (int64_t j = 0; j < p.features; j += LANES<T>) store(row + j, load(x + j, p.features - j));
}

// The projected inputs of some steps of some sequences, a row for each token that is not masked.
template <class T> class Projected {
 public:
  Projected(const Problem& p, const T* packed)
      : p(p), packed(packed), gate(padded<T>(p.size)), stride(apart<T>(p.features)),
        num_keys(p.keys ? padded<T>(p.num_relations) : 0), features(p.features ? (KEPT + TILE) * stride : 0),
        rows(p.features ? (KEPT + TILE) * 3 * gate : 0), keys(num_keys * p.features), logits((KEPT + TILE) * num_keys) {
    for (int64_t r = 0; r < (p.keys ? p.num_relations : 0); ++r)
      for (int64_t k = 0; k < p.features; ++k) keys[k * num_keys + r] = ((const T*)p.keys)[r * p.features + k];
  }

  // To be called before each step; projects when all rows are used.
  void prepare(const int64_t* sequences, int64_t count, int64_t step, Wanted& wanted) {
    if (step == 0) end = 0;
    if (step < end) return;
    next = 0;
    int64_t filled = 0;
    for (end = step; end < p.length && filled <= KEPT - count; ++end)
      for (int64_t i = 0; i < count; ++i) {
        const int64_t t = p.reverse ? p.length - 1 - end : end;
        tokens[filled] = sequences[i] * p.length + t;
        if (p.mask[tokens[filled]]) copy_features(p, sequences[i], t, features + filled++ * stride);
      }
    wanted.clear();
    wanted.begin();
    constexpr int64_t lanes = LANES<T>;
    for (int64_t j = 0; j < p.size; j += lanes)
      in_blocks<MAX_ROWS<T>>(filled, [&](auto count, int64_t first) {
        Vector<T> sums[count()][3];
        for (int g = 0; g < 3; ++g) {
          const Vector<T> bias = load((const T*)p.bias + g * p.size + j, p.size - j);
          for (int i = 0; i < count(); ++i) sums[i][g] = bias;
        }
        multiply<T, count(), 3>(features + first * stride, stride, 1, packed + j * 3 * p.features, 3 * lanes,
                                p.features, sums, wanted);
        for (int i = 0; i < count(); ++i)
          for (int g = 0; g < 3; ++g) store(rows + ((first + i) * 3 + g) * gate + j, sums[i][g]);
      });
    for (int64_t r = 0; r < num_keys; r += lanes)
      in_blocks<MAX_ROWS<T>>(filled, [&](auto count, int64_t first) {
        Vector<T> sums[count()][1] = {};
        multiply<T, count(), 1>(features + first * stride, stride, 1, keys + r, num_keys, p.features, sums, wanted);
        for (int i = 0; i < count(); ++i) store(logits + (first + i) * num_keys + r, sums[i][0]);
      });
    for (int64_t i = 0; i < (p.keys ? filled : 0); ++i) weigh<T>(p, tokens[i], logits + i * num_keys);
  }

  // The row of the next token that is not masked.
  const T* row() { return rows + next++ * 3 * gate; }

 private:
  const Problem& p;
  const T* packed;
  const int64_t gate, stride, num_keys;
  Buffer<T> features, rows, keys, logits;
  int64_t tokens[KEPT + TILE];
  int64_t next = 0, end = 0;
};

template <class T> void forward(const Problem& p) {
  const int64_t size = p.size, width = p.width, lanes = LANES<T>, columns = divide_up(size, lanes);
  const int64_t stride = padded<T>(width), next = p.reverse ? -1 : 1, gate = p.features ? padded<T>(size) : size;
  const T* bias_hn = (const T*)p.bias_hn;
  Buffer<T> packed(columns * width * 3 * lanes), packed_ih(columns * p.features * 3 * lanes);
  pack_forward<T>(p, p.weight_hh, width, packed);
  pack_forward<T>(p, p.weight_ih, p.features, packed_ih);
  const auto hands = deal(p);

  in_threads(p, hands.size(), [&](int64_t hand) {
    int64_t tokens[TILE];
    const T* inputs[TILE];
    Buffer<T> m(TILE * stride);
    Wanted wanted(ranges_of(p));
    Projected<T> projected(p, packed_ih);
    for (size_t begin = 0; begin < hands[hand].size(); begin += TILE) {
      const size_t end = std::min<size_t>(begin + TILE, hands[hand].size());
      for (int64_t step = 0; step < p.length; ++step) {
        const int64_t t = p.reverse ? p.length - 1 - step : step;
        if (p.features) projected.prepare(&hands[hand][begin], end - begin, step, wanted);
        wanted.clear();
        int64_t count = 0;
        for (size_t i = begin; i < end; ++i) {
          const int64_t b = hands[hand][i], token = b * p.length + t;
          if (!p.mask[token]) {
            std::fill_n((T*)p.states + token * size, size, T(0));
            continue;
          }
          inputs[count] = p.features ? projected.row() : inputs_of<T>(p, b, t);
          gather(p, b, t, m + count * stride);
          if (step + 1 < p.length && p.mask[token + next]) {
            want_sources<T>(p, b, t + next, wanted);
            if (!p.features) wanted.add(inputs[count] + next * p.inputs_time_stride, 3 * size);
            if (p.gates) wanted.add((const T*)p.gates + (token + next) * 4 * size, 4 * size);
          }
          tokens[count++] = token;
        }
        wanted.begin();
        for (int64_t column = 0; column < columns; ++column) {
          const int64_t j = column * lanes, rest = size - j;
          const Vector<T> bias = load(bias_hn + j, rest);
          in_blocks<MAX_ROWS<T>>(count, [&](auto rows, int64_t first) {
            Vector<T> sums[rows()][3] = {};
            multiply<T, rows(), 3>(m + first * stride, stride, 1, packed + column * width * 3 * lanes, 3 * lanes, width,
                                   sums, wanted);
            for (int i = 0; i < rows(); ++i) {
              const T* x = inputs[first + i] + j;
              const Vector<T> hidden_n = sums[i][2] + bias;
              const Vector<T> r = sigmoid<T>(load(x, rest) + sums[i][0]);
              const Vector<T> z = sigmoid<T>(load(x + gate, rest) + sums[i][1]);
              const Vector<T> n = tanh<T>(load(x + 2 * gate, rest) + r * hidden_n);
              const Vector<T> h = n + z * (load(m + (first + i) * stride + j) - n);
              store((T*)p.states + tokens[first + i] * size + j, h, rest);
              if (p.gates) {
                T* gates = (T*)p.gates + tokens[first + i] * 4 * size + j;
                store(gates, r, rest);
                store(gates + size, z, rest);
                store(gates + 2 * size, n, rest);
                store(gates + 3 * size, hidden_n, rest);
              }
            }
          });
        }
      }
    }
  });
}

// The gradients of the gates of some tokens, in four parts: the candidate's recurrent part, reset, update, the
// candidate. The recurrent weights read the first three of them, those of the inputs the last three. Each has a place
// of its own, since longer rows would lie on more pages than the processor finds quickly.
template <class T> class Grads {
 public:
  const int64_t stride;

  explicit Grads(const Problem& p) : stride(apart<T>(p.size)), numbers(4 * (KEPT + TILE) * stride) {}

  T* row(int64_t part, int64_t token) { return numbers + (part * (KEPT + TILE) + token) * stride; }
  const T* row(int64_t part, int64_t token) const { return numbers + (part * (KEPT + TILE) + token) * stride; }

  // Which gate a part is of, in the order of the weights.
  static int64_t gate_of(int64_t part) { return (part + 2) % 3; }

 private:
  Buffer<T> numbers;
};

// The weights, of shape (3 size, columns), of one side of the gates in backward, the recurrent one or that of the
// inputs, with the first part of `Grads` that they read.
template <class T> class Weights {
 public:
  const int64_t columns, width, first;

  Weights(const Problem& p, const void* weights, int64_t columns, int64_t first)
      : columns(columns), width(padded<T>(columns)), first(first), size(p.size), packed(3 * size * width) {
    in_panels<MAX_VECTORS<T>>(width / LANES<T>, [&](auto vectors, int64_t vector) {
      T* to = packed + vector * LANES<T> * 3 * size;
      for (int64_t part = 0; part < 3; ++part)
        for (int64_t k = 0; k < size; ++k)
          for (int64_t j = vector * LANES<T>; j < (vector + vectors()) * LANES<T>; j += LANES<T>, to += LANES<T>)
            store(to, load((const T*)weights + row_of(part, k) + j, columns - j));
    });
  }

  // Where a row of the weights begins.
  int64_t row_of(int64_t part, int64_t k) const { return (Grads<T>::gate_of(first + part) * size + k) * columns; }

  // Calls use(i, j, x) for each of `count` tokens and each column, where x is the vector at j of row i of grads @
  // weights.
  template <class Use>
  void multiply_by(const Grads<T>& grads, int64_t begin, int64_t count, Wanted& wanted, const Use& use) const {
    in_panels<MAX_VECTORS<T>>(width / LANES<T>, [&](auto vectors, int64_t vector) {
      in_blocks<MAX_ROWS<T>>(count, [&](auto rows, int64_t i) {
        const T* panel = packed + vector * LANES<T> * 3 * size;
        Vector<T> products[rows()][vectors()] = {};
        for (int64_t part = 0; part < 3; ++part)
          multiply<T, rows(), vectors()>(grads.row(first + part, begin + i), grads.stride, 1,
                                         panel + part * size * vectors() * LANES<T>, vectors() * LANES<T>, size,
                                         products, wanted);
        for (int row = 0; row < rows(); ++row)
          for (int v = 0; v < vectors(); ++v) use(i + row, (vector + v) * LANES<T>, products[row][v]);
      });
    });
  }

 private:
  const int64_t size;
  Buffer<T> packed;
};

// What a thread of backward adds to the gradient of weights, and what these were multiplied with in the tokens not yet
// added.
template <class T> class Side {
 public:
  const int64_t stride;
  Buffer<T> rows;

  Side(const Problem& p, const Weights<T>& of)
      : stride(apart<T>(of.width)), rows(of.columns ? (KEPT + TILE) * stride : 0), of(of), size(p.size),
        gate(padded<T>(size)), sums(3 * gate * of.width) {}

  // sums += grads^T @ rows
  void add(const Grads<T>& grads, int64_t count, Wanted& wanted) {
    in_panels<MAX_VECTORS<T>>(of.width / LANES<T>, [&](auto vectors, int64_t vector) {
      constexpr int block = std::min<int>(MAX_ROWS<T>, LANES<T>);
      for (int64_t part = 0; part < 3; ++part)
        for (int64_t k = 0; k < gate; k += block) {
          Vector<T> products[block][vectors()] = {};
          multiply<T, block, vectors()>(grads.row(of.first + part, 0) + k, 1, grads.stride, rows + vector * LANES<T>,
                                        stride, count, products, wanted);
          for (int i = 0; i < block; ++i)
            for (int v = 0; v < vectors(); ++v) {
              T* to = sums + place(part, k + i, vector, vectors()) + v * LANES<T>;
              store(to, load(to) + products[i][v]);
            }
        }
    });
  }

  // Adds the sums to the gradient of the weights.
  void give(void* grad_weights) const {
    in_panels<MAX_VECTORS<T>>(of.width / LANES<T>, [&](auto vectors, int64_t vector) {
      for (int64_t part = 0; part < 3; ++part)
        for (int64_t k = 0; k < size; ++k)
          for (int v = 0; v < vectors(); ++v) {
            const int64_t j = (vector + v) * LANES<T>, rest = of.columns - j;
            T* to = (T*)grad_weights + of.row_of(part, k) + j;
            store(to, load(to, rest) + load(sums + place(part, k, vector, vectors()) + v * LANES<T>), rest);
          }
    });
  }

 private:
  const Weights<T>& of;
  const int64_t size, gate;
  Buffer<T> sums;

  // Where the sums of row `k` of a part begin, in the panel that begins with `vector`. They lie in the order in which
  // `add` reads them.
  int64_t place(int64_t part, int64_t k, int64_t vector, int64_t vectors) const {
    return (vector * 3 * gate + (part * gate + k) * vectors) * LANES<T>;
  }
};

// What a thread of backward adds to the gradients of the parameters, and the gradients of the tokens not yet added.
template <class T> struct Sums {
  const Problem& p;
  const int64_t gate;
  Side<T> hidden, inputs;
  Grads<T> grads;
  Buffer<T> biases;
  const int64_t num_keys;
  Buffer<T> grad_logits, keys;
  int64_t tokens[KEPT + TILE];
  int64_t kept = 0;

  Sums(const Problem& p, const Weights<T>& weight_hh, const Weights<T>& weight_ih)
      : p(p), gate(padded<T>(p.size)), hidden(p, weight_hh), inputs(p, weight_ih), grads(p), biases(4 * gate),
        num_keys(p.keys ? p.num_relations : 0), grad_logits((KEPT + TILE) * num_keys),
        keys(num_keys * weight_ih.width) {}

  // Keeps the gradients of the logits of a token, from those of the softmax.
  void keep_logits(int64_t i, int64_t token) {
    T mean = 0;
    T* grads = grad_logits + i * p.num_relations;
    for (int64_t r = 0; r < p.num_relations; ++r) grads[r] = 0;
    for (int pass = 0; pass < 2; ++pass)
      for (int64_t r = 0; r < p.num_relations; ++r) {
        const Relation& relation = p.relations[r];
        for (int64_t e = token * relation.edges; e < (token + 1) * relation.edges; ++e) {
          const T weight = ((const T*)relation.weights)[e], grad = ((const T*)relation.grad_weights)[e];
          (pass ? grads[r] : mean) += weight * (grad - (pass ? mean : 0));
        }
      }
  }

  void add(const Weights<T>& weight_ih, Wanted& wanted) {
    for (int64_t part = 0; part < (p.features ? 4 : 1); ++part)
      for (int64_t j = 0; j < gate; j += LANES<T>) {
        Vector<T> sum = load(biases + part * gate + j);
        for (int64_t i = 0; i < kept; ++i) sum += load(grads.row(part, i) + j);
        store(biases + part * gate + j, sum);
      }
    hidden.add(grads, kept, wanted);
    if (p.features) inputs.add(grads, kept, wanted);
    for (int64_t r = 0; r < num_keys; ++r)
      for (int64_t j = 0; j < p.features; j += LANES<T>) {
        Vector<T> sum = load(keys + r * weight_ih.width + j);
        for (int64_t i = 0; i < kept; ++i)
          sum += grad_logits[i * num_keys + r] * load(inputs.rows + i * inputs.stride + j);
        store(keys + r * weight_ih.width + j, sum);
      }
    if (p.features && p.grad_inputs)
      weight_ih.multiply_by(grads, 0, kept, wanted, [&](int64_t i, int64_t j, Vector<T> x) {
        for (int64_t r = 0; r < num_keys; ++r)
          x += grad_logits[i * num_keys + r] * load((const T*)p.keys + r * p.features + j, p.features - j);
        store((T*)p.grad_inputs + tokens[i] * p.features + j, x, p.features - j);
      });
    kept = 0;
  }

  void give() const {
    hidden.give(p.grad_weight_hh);
    for (int64_t j = 0; j < p.size; ++j) ((T*)p.grad_bias_hn)[j] += biases[j];
    if (!p.features) return;
    inputs.give(p.grad_weight_ih);
    for (int64_t g = 0; g < 3; ++g)
      for (int64_t j = 0; j < p.size; ++j) ((T*)p.grad_bias)[g * p.size + j] += biases[(g + 1) * gate + j];
    for (int64_t r = 0; r < num_keys; ++r)
      for (int64_t j = 0; j < p.features; ++j)
        ((T*)p.grad_keys)[r * p.features + j] += keys[r * padded<T>(p.features) + j];
  }
};

template <class T> void backward(const Problem& p) {
  constexpr int64_t lanes = LANES<T>;
  const int64_t size = p.size, gate = padded<T>(size), outputs = p.features ? p.features : 3 * size;
  const Weights<T> weight_hh(p, p.weight_hh, p.width, 0), weight_ih(p, p.weight_ih, p.features, 1);
  const int64_t carry_width = weight_hh.width, next = p.reverse ? 1 : -1;
  const auto hands = deal(p);
  std::deque<Sums<T>> sums_of;
  for (size_t hand = 0; hand < hands.size(); ++hand) sums_of.emplace_back(p, weight_hh, weight_ih);

  in_threads(p, hands.size(), [&](int64_t hand) {
    Sums<T>& sums = sums_of[hand];
    int64_t sequences[TILE];
    Buffer<T> grad_m(TILE * carry_width);
    Wanted wanted(ranges_of(p));
    for (size_t begin = 0; begin < hands[hand].size(); begin += TILE) {
      const size_t end = std::min<size_t>(begin + TILE, hands[hand].size());
      for (int64_t step = p.length - 1; step >= 0; --step) {
        const int64_t t = p.reverse ? p.length - 1 - step : step;
        int64_t* tokens = sums.tokens + sums.kept;
        wanted.clear();
        int64_t count = 0;
        for (size_t i = begin; i < end; ++i) {
          const int64_t b = hands[hand][i], token = b * p.length + t;
          T* grad_x = (T*)p.grad_inputs + token * outputs;
          if (!p.mask[token]) {
            if (p.grad_inputs) std::fill_n(grad_x, outputs, T(0));
            continue;
          }
          T* m = sums.hidden.rows + (sums.kept + count) * sums.hidden.stride;
          gather(p, b, t, m);
          if (p.features) copy_features(p, b, t, sums.inputs.rows + (sums.kept + count) * sums.inputs.stride);
          if (step > 0 && p.mask[token + next]) {
            want_sources<T>(p, b, t + next, wanted);
            wanted.add((const T*)p.gates + (token + next) * 4 * size, 4 * size);
            if (p.features) {
              wanted.add(inputs_of<T>(p, b, t + next), p.features);
            } else {
              wanted.add(grad_x + next * outputs, outputs);
            }
            wanted.add((const T*)p.grad_states + (token + next) * size, size);
          }
          const T* grad_h = (const T*)p.grad_states + token * size;
          const T* gates = (const T*)p.gates + token * 4 * size;
          T* grad_parts[4];
          for (int part = 0; part < 4; ++part) grad_parts[part] = sums.grads.row(part, sums.kept + count);
          T* grad_carry = grad_m + count * carry_width;
          for (int64_t j = 0; j < size; j += lanes) {
            const int64_t rest = size - j;
            const Vector<T> grad = load(grad_h + j, rest), r = load(gates + j, rest), z = load(gates + size + j, rest);
            const Vector<T> n = load(gates + 2 * size + j, rest), hidden_n = load(gates + 3 * size + j, rest);
            const Vector<T> grad_carried = grad * z;
            const Vector<T> grad_n = (grad - grad_carried) * (1 - n * n);
            const Vector<T> grad_z = grad_carried * (load(m + j) - n) * (1 - z);
            const Vector<T> grad_hidden_n = grad_n * r;
            const Vector<T> grad_r = grad_hidden_n * hidden_n * (1 - r);
            store(grad_parts[0] + j, grad_hidden_n);
            store(grad_parts[1] + j, grad_r);
            store(grad_parts[2] + j, grad_z);
            if (p.features) {
              store(grad_parts[3] + j, grad_n);
            } else {
              store(grad_x + j, grad_r, rest);
              store(grad_x + size + j, grad_z, rest);
              store(grad_x + 2 * size + j, grad_n, rest);
            }
            store(grad_carry + j, grad_carried);
          }
          for (int64_t j = gate; j < carry_width; j += lanes) store(grad_carry + j, Vector<T>{});
          sequences[count] = b;
          tokens[count++] = token;
        }
        wanted.begin();
        weight_hh.multiply_by(sums.grads, sums.kept, count, wanted, [&](int64_t i, int64_t j, const Vector<T>& x) {
          store(grad_m + i * carry_width + j, load(grad_m + i * carry_width + j) + x);
        });
        for (int64_t i = 0; i < count; ++i) {
          for_edges(p, sequences[i], t, [&](const Relation& relation, int64_t e, int64_t source) {
            const T* grad = grad_m + i * carry_width + relation.to;
            const int64_t carried = relation.stop - relation.start;
            T* grad_h = state_of(p, sequences[i], source, (T*)p.grad_states, (T*)p.grad_memory) + relation.start;
            const T weight = ((const T*)relation.weights)[e];
            for (int64_t j = 0; j < carried; j += lanes)
              store(grad_h + j, load(grad_h + j, carried - j) + weight * load(grad + j, carried - j), carried - j);
            if (!relation.grad_weights) return;
            const T* h = state_of(p, sequences[i], source, (const T*)p.states, (const T*)p.memory) + relation.start;
            ((T*)relation.grad_weights)[e] = dot(grad, h, carried);
          });
          if (p.keys) sums.keep_logits(sums.kept + i, tokens[i]);
        }
        sums.kept += count;
        if (sums.kept >= KEPT) sums.add(weight_ih, wanted);
      }
    }
    sums.add(weight_ih, wanted);
  });

  for (const Sums<T>& sums : sums_of) sums.give();
}

}  // namespace

#define JOIN(name, variant) name##_##variant
#define NAMED(name, variant) JOIN(name, variant)

extern "C" {

void NAMED(forward_float32, VARIANT)(const Problem* p) { forward<float>(*p); }
void NAMED(forward_float64, VARIANT)(const Problem* p) { forward<double>(*p); }
void NAMED(backward_float32, VARIANT)(const Problem* p) { backward<float>(*p); }
void NAMED(backward_float64, VARIANT)(const Problem* p) { backward<double>(*p); }

}  // extern "C"
