// The time loop of `recurrence` and its backward for the CPU; see recurrence.py for the equations.
//
// Each thread reads its own sequences from the first step to the last, so that threads never wait for each other. A step
// is one small matrix product over the tokens that are not masked, with the gates computed on its result while that is
// still in registers. Sums are taken in the same order however the batch is split, so results don't depend on it.
//
// Plain C++17 with the vector types of GCC and Clang. All arrays are contiguous but `inputs`, whose last dimension is.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <vector>

namespace {

#if defined(__AVX512F__)
constexpr int VECTOR_BYTES = 64, MAX_ROWS = 8;
#elif defined(__AVX__)
constexpr int VECTOR_BYTES = 32, MAX_ROWS = 4;
#else
constexpr int VECTOR_BYTES = 16, MAX_ROWS = 4;
#endif

// How many vectors of columns one pass of the backward product computes.
constexpr int BACKWARD_VECTORS = 2;

template <class T> struct Simd;

template <> struct Simd<float> {
  typedef float Vector __attribute__((vector_size(VECTOR_BYTES)));
  typedef int32_t Integer __attribute__((vector_size(VECTOR_BYTES)));
  static constexpr int MANTISSA_BITS = 23, EXPONENT_BIAS = 127, TERMS = 7;
  // exp(LIMIT) and its reciprocal are normal numbers.
  static constexpr float LIMIT = 87.0f;
  // ln 2 in two parts, the first with so few bits that its product with an exponent is exact.
  static constexpr float LN2_HIGH = 0.693359375f, LN2_LOW = -2.12194440054690583e-4f;
};

template <> struct Simd<double> {
  typedef double Vector __attribute__((vector_size(VECTOR_BYTES)));
  typedef int64_t Integer __attribute__((vector_size(VECTOR_BYTES)));
  static constexpr int MANTISSA_BITS = 52, EXPONENT_BIAS = 1023, TERMS = 13;
  static constexpr double LIMIT = 708.0;
  static constexpr double LN2_HIGH = 0.693145751953125, LN2_LOW = 1.42860682030941723212e-6;
};

template <class T> using Vector = typename Simd<T>::Vector;
template <class T> constexpr int LANES = VECTOR_BYTES / sizeof(T);

template <class T> inline Vector<T> broadcast(T x) { return x - Vector<T>{}; }

template <class T> inline Vector<T> load(const T* from) {
  Vector<T> x;
  std::memcpy(&x, from, sizeof(x));
  return x;
}

template <class T> inline Vector<T> load(const T* from, int64_t count) {
  if (count >= LANES<T>) return load(from);
  Vector<T> x{};
  for (int64_t i = 0; i < count; ++i) x[i] = from[i];
  return x;
}

template <class T> inline void store(T* to, const Vector<T>& x, int64_t count) {
  if (count >= LANES<T>) {
    std::memcpy(to, &x, sizeof(x));
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = x[i];
  }
}

// exp(x) - 1, exact to rounding also near zero; NaN stays NaN.
template <class T> inline Vector<T> expm1(Vector<T> x) {
  using S = Simd<T>;
  x = x > S::LIMIT ? broadcast<T>(S::LIMIT) : x;
  x = x < -S::LIMIT ? broadcast<T>(-S::LIMIT) : x;
  // x = n ln 2 + y. Adding and subtracting this number rounds to an integer.
  constexpr T rounder = T(int64_t(3) << (S::MANTISSA_BITS - 1));
  const Vector<T> n = (x * T(1.4426950408889634) + rounder) - rounder;
  const Vector<T> y = (x - n * S::LN2_HIGH) - n * S::LN2_LOW;
  // y + y^2 / 2! + y^3 / 3! + ..., innermost first.
  Vector<T> series = broadcast<T>(1);
#pragma GCC unroll 16
  for (int k = S::TERMS; k > 1; --k) series = series * y * T(1.0 / k) + T(1);
  series *= y;
  const auto exponent = (__builtin_convertvector(n, typename S::Integer) + S::EXPONENT_BIAS) << S::MANTISSA_BITS;
  Vector<T> power;
  std::memcpy(&power, &exponent, sizeof(power));
  return power * series + (power - T(1));
}

template <class T> inline Vector<T> sigmoid(Vector<T> x) { return T(1) / (T(2) + expm1<T>(-x)); }

template <class T> inline Vector<T> tanh(Vector<T> x) {
  const Vector<T> e = expm1<T>(T(-2) * x);
  return -e / (T(2) + e);
}

int64_t divide_up(int64_t x, int64_t by) { return (x + by - 1) / by; }

// sums[i] += rows[i] @ packed, where `packed` has VECTORS vectors for each of `depth` rows.
template <class T, int ROWS, int VECTORS>
inline void multiply(const T* rows, int64_t stride, const T* packed, int64_t depth, Vector<T> (&sums)[ROWS][VECTORS]) {
  for (int64_t k = 0; k < depth; ++k) {
    Vector<T> columns[VECTORS];
#pragma GCC unroll 4
    for (int v = 0; v < VECTORS; ++v) columns[v] = load(packed + (k * VECTORS + v) * LANES<T>);
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; ++i) {
      const Vector<T> x = broadcast(rows[i * stride + k]);
#pragma GCC unroll 4
      for (int v = 0; v < VECTORS; ++v) sums[i][v] += x * columns[v];
    }
  }
}

// Calls `body` for blocks of rows, as large as the registers hold, that cover 0 .. count.
template <int ROWS = MAX_ROWS, class Body> inline void in_blocks(int64_t count, const Body& body, int64_t first = 0) {
  for (; first + ROWS <= count; first += ROWS) body(std::integral_constant<int, ROWS>(), first);
  if constexpr (ROWS > 1) {
    if (first < count) in_blocks<ROWS / 2>(count, body, first);
  }
}

}  // namespace

extern "C" {

// These mirror the structures of the same names in _cpp.py.
struct Relation {
  const int64_t* sources;  // (batch, length, edges); negative: none
  const void* weights;     // (batch, length, edges)
  void* grad_weights;      // (batch, length, edges)
  int64_t edges, start, stop, to;
};

struct Problem {
  int64_t batch, length, memory_length, size, width, threads, num_relations, reverse;
  int64_t inputs_batch_stride, inputs_time_stride;
  const Relation* relations;
  const bool* mask;        // (batch, length)
  const void* inputs;      // (batch, length, 3 size)
  const void* weight_hh;   // (3 size, width), width >= size
  const void* bias_hn;     // (size)
  const void* memory;      // (batch, memory_length, size)
  void* states;            // (batch, length, size)
  void* gates;             // (batch, length, 4 size): r, z, n, m U_n + b_n; null if there will be no backward
  void* grad_states;       // (batch, length, size), filled with the gradients from outside; added to
  void* grad_memory;       // (batch, memory_length, size), filled with zeros; added to
  void* grad_inputs;       // (batch, length, 3 size)
  void* grad_hidden_n;     // (batch, length, size): the gradient of m U_n + b_n
  void* previous;          // (batch, length, width): m, for the gradient of weight_hh
};

}  // extern "C"

namespace {

// The sequences of each thread: dealt out from the longest to the shortest, so that all have about as much to do.
std::vector<std::vector<int64_t>> deal(const Problem& p) {
  std::vector<int64_t> lengths(p.batch), order(p.batch);
  for (int64_t b = 0; b < p.batch; ++b) lengths[b] = std::count(p.mask + b * p.length, p.mask + (b + 1) * p.length, true);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<int64_t>> hands(std::max<int64_t>(1, std::min(p.threads, p.batch)));
  for (int64_t i = 0; i < p.batch; ++i) hands[i % hands.size()].push_back(order[i]);
  return hands;
}

// The state that a source means, in arrays like those of the states and of the memory.
template <class T> inline T* state_of(const Problem& p, int64_t b, int64_t source, T* states, T* memory) {
  return source < p.length ? states + (b * p.length + source) * p.size
                           : memory + (b * p.memory_length + source - p.length) * p.size;
}

// m of token `bt` = b * length + t: the weighted sum of what it reads.
template <class T> inline void gather(const Problem& p, int64_t b, int64_t bt, T* __restrict m) {
  std::fill(m, m + p.width, T(0));
  for (int64_t r = 0; r < p.num_relations; ++r) {
    const Relation& relation = p.relations[r];
    const int64_t shift = relation.to - relation.start;
    for (int64_t e = bt * relation.edges; e < (bt + 1) * relation.edges; ++e) {
      if (relation.sources[e] < 0) continue;
      const T* h = state_of(p, b, relation.sources[e], (const T*)p.states, (const T*)p.memory);
      const T weight = ((const T*)relation.weights)[e];
      for (int64_t j = relation.start; j < relation.stop; ++j) m[j + shift] += weight * h[j];
    }
  }
}

template <class T> void forward(const Problem& p) {
  const int64_t size = p.size, width = p.width, lanes = LANES<T>, columns = divide_up(size, lanes);
  const T* bias_hn = (const T*)p.bias_hn;
  // For each vector of state columns and each row of U: the three gates' vectors side by side.
  std::vector<T> packed(columns * width * 3 * lanes);
  for (int64_t gate = 0; gate < 3; ++gate)
    for (int64_t j = 0; j < size; ++j)
      for (int64_t k = 0; k < width; ++k)
        packed[((j / lanes * width + k) * 3 + gate) * lanes + j % lanes] =
            ((const T*)p.weight_hh)[(gate * size + j) * width + k];
  const auto hands = deal(p);

#pragma omp parallel for schedule(static, 1) num_threads(hands.size())
  for (size_t hand = 0; hand < hands.size(); ++hand) {
    std::vector<int64_t> tokens;
    std::vector<T> m(hands[hand].size() * width);
    std::vector<const T*> inputs(hands[hand].size());
    for (int64_t step = 0; step < p.length; ++step) {
      const int64_t t = p.reverse ? p.length - 1 - step : step;
      tokens.clear();
      for (int64_t b : hands[hand]) {
        const int64_t token = b * p.length + t;
        if (!p.mask[token]) {
          std::fill_n((T*)p.states + token * size, size, T(0));
          continue;
        }
        inputs[tokens.size()] = (const T*)p.inputs + b * p.inputs_batch_stride + t * p.inputs_time_stride;
        gather(p, b, token, &m[tokens.size() * width]);
        tokens.push_back(token);
      }
      for (int64_t column = 0; column < columns; ++column) {
        const int64_t j = column * lanes, count = size - j;
        const Vector<T> bias = load(bias_hn + j, count);
        in_blocks(tokens.size(), [&](auto rows, int64_t first) {
          Vector<T> sums[rows()][3] = {};
          multiply<T, rows(), 3>(&m[first * width], width, &packed[column * width * 3 * lanes], width, sums);
          for (int i = 0; i < rows(); ++i) {
            const T* x = inputs[first + i] + j;
            const Vector<T> hidden_n = sums[i][2] + bias;
            const Vector<T> r = sigmoid<T>(load(x, count) + sums[i][0]);
            const Vector<T> z = sigmoid<T>(load(x + size, count) + sums[i][1]);
            const Vector<T> n = tanh<T>(load(x + 2 * size, count) + r * hidden_n);
            const Vector<T> h = n + z * (load(&m[(first + i) * width + j], count) - n);
            store((T*)p.states + tokens[first + i] * size + j, h, count);
            if (p.gates) {
              T* gates = (T*)p.gates + tokens[first + i] * 4 * size + j;
              store(gates, r, count);
              store(gates + size, z, count);
              store(gates + 2 * size, n, count);
              store(gates + 3 * size, hidden_n, count);
            }
          }
        });
      }
    }
  }
}

template <class T> void backward(const Problem& p) {
  const int64_t size = p.size, width = p.width, lanes = LANES<T>;
  const int64_t panel_width = BACKWARD_VECTORS * lanes, panels = divide_up(width, panel_width);
  std::vector<T> packed(panels * 3 * size * panel_width);
  for (int64_t k = 0; k < 3 * size; ++k)
    for (int64_t j = 0; j < width; ++j)
      packed[(j / panel_width * 3 * size + k) * panel_width + j % panel_width] =
          ((const T*)p.weight_hh)[k * width + j];
  const auto hands = deal(p);

#pragma omp parallel for schedule(static, 1) num_threads(hands.size())
  for (size_t hand = 0; hand < hands.size(); ++hand) {
    std::vector<int64_t> sequences, tokens;
    std::vector<T> grad_hidden(hands[hand].size() * 3 * size), grad_m(hands[hand].size() * width);
    for (int64_t step = p.length - 1; step >= 0; --step) {
      const int64_t t = p.reverse ? p.length - 1 - step : step;
      sequences.clear();
      tokens.clear();
      for (int64_t b : hands[hand]) {
        const int64_t token = b * p.length + t;
        T* __restrict m = (T*)p.previous + token * width;
        T* __restrict grad_x = (T*)p.grad_inputs + token * 3 * size;
        T* __restrict grad_hidden_n = (T*)p.grad_hidden_n + token * size;
        if (!p.mask[token]) {
          std::fill_n(m, width, T(0));
          std::fill_n(grad_x, 3 * size, T(0));
          std::fill_n(grad_hidden_n, size, T(0));
          continue;
        }
        gather(p, b, token, m);
        const T* grad_h = (const T*)p.grad_states + token * size;
        const T* __restrict r = (const T*)p.gates + token * 4 * size;
        const T *z = r + size, *n = z + size, *hidden_n = n + size;
        T* __restrict grad_row = &grad_hidden[tokens.size() * 3 * size];
        T* __restrict grad_carry = &grad_m[tokens.size() * width];
        for (int64_t j = 0; j < size; ++j) {
          const T grad_n = grad_h[j] * (1 - z[j]) * (1 - n[j] * n[j]);
          const T grad_z = grad_h[j] * (m[j] - n[j]) * z[j] * (1 - z[j]);
          const T grad_r = grad_n * hidden_n[j] * r[j] * (1 - r[j]);
          grad_x[j] = grad_row[j] = grad_r;
          grad_x[size + j] = grad_row[size + j] = grad_z;
          grad_x[2 * size + j] = grad_n;
          grad_hidden_n[j] = grad_row[2 * size + j] = grad_n * r[j];
          grad_carry[j] = grad_h[j] * z[j];
        }
        std::fill(grad_carry + size, grad_carry + width, T(0));
        sequences.push_back(b);
        tokens.push_back(token);
      }
      for (int64_t panel = 0; panel < panels; ++panel) {
        in_blocks(tokens.size(), [&](auto rows, int64_t first) {
          Vector<T> sums[rows()][BACKWARD_VECTORS] = {};
          multiply<T, rows(), BACKWARD_VECTORS>(
              &grad_hidden[first * 3 * size], 3 * size, &packed[panel * 3 * size * panel_width], 3 * size, sums);
          for (int i = 0; i < rows(); ++i) {
            for (int v = 0; v < BACKWARD_VECTORS; ++v) {
              const int64_t j = panel * panel_width + v * lanes, count = width - j;
              if (count <= 0) break;
              T* to = &grad_m[(first + i) * width + j];
              store(to, load(to, count) + sums[i][v], count);
            }
          }
        });
      }
      for (size_t i = 0; i < tokens.size(); ++i) {
        const T* __restrict grad = &grad_m[i * width];
        for (int64_t r = 0; r < p.num_relations; ++r) {
          const Relation& relation = p.relations[r];
          const int64_t shift = relation.to - relation.start;
          for (int64_t e = tokens[i] * relation.edges; e < (tokens[i] + 1) * relation.edges; ++e) {
            if (relation.sources[e] < 0) continue;
            const T* h = state_of(p, sequences[i], relation.sources[e], (const T*)p.states, (const T*)p.memory);
            T* __restrict grad_h = state_of(p, sequences[i], relation.sources[e], (T*)p.grad_states, (T*)p.grad_memory);
            const T weight = ((const T*)relation.weights)[e];
            Vector<T> products{};
            for (int64_t j = relation.start; j < relation.stop; j += lanes) {
              const int64_t count = relation.stop - j;
              const Vector<T> grad_j = load(grad + shift + j, count);
              products += grad_j * load(h + j, count);
              store(grad_h + j, load(grad_h + j, count) + weight * grad_j, count);
            }
            T sum = 0;
            for (int lane = 0; lane < lanes; ++lane) sum += products[lane];
            ((T*)relation.grad_weights)[e] = sum;
          }
        }
      }
    }
  }
}

}  // namespace

extern "C" {

void forward_float32(const Problem* p) { forward<float>(*p); }
void forward_float64(const Problem* p) { forward<double>(*p); }
void backward_float32(const Problem* p) { backward<float>(*p); }
void backward_float64(const Problem* p) { backward<double>(*p); }

}  // extern "C"
