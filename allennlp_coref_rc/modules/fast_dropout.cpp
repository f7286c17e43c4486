// Dropout for the CPU in one pass, for forward and, on gradients, for backward; see fast_dropout.py. Compiled like
// recurrence.cpp.

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace {

// The number at a place of the sequence of SplitMix64 (Steele, Lea and Flood 2014) that begins with `seed`.
inline uint64_t split_mix(uint64_t seed, uint64_t place) {
  uint64_t x = seed + (place + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Drops a number if its 16 bits of the sequence are below `dropped`, and multiplies it by `scale` otherwise.
template <class T>
void dropout(const T* inputs, T* outputs, int64_t count, uint64_t seed, uint32_t dropped, double scale) {
  constexpr int64_t BLOCK = 256;
  for (int64_t first = 0; first < count; first += 4 * BLOCK) {
    uint64_t numbers[BLOCK];
    uint16_t bits[4 * BLOCK];
    for (int64_t i = 0; i < BLOCK; ++i) numbers[i] = split_mix(seed, first / 4 + i);
    std::memcpy(bits, numbers, sizeof(bits));
    const int64_t rest = std::min(4 * BLOCK, count - first);
    for (int64_t i = 0; i < rest; ++i)
      outputs[first + i] = bits[i] < dropped ? T(0) : inputs[first + i] * T(scale);
  }
}

}  // namespace

#define JOIN(name, variant) name##_##variant
#define NAMED(name, variant) JOIN(name, variant)

extern "C" {

void NAMED(dropout_float32, VARIANT)(
    const float* inputs, float* outputs, int64_t count, uint64_t seed, uint32_t dropped, double scale) {
  dropout(inputs, outputs, count, seed, dropped, scale);
}
void NAMED(dropout_float64, VARIANT)(
    const double* inputs, double* outputs, int64_t count, uint64_t seed, uint32_t dropped, double scale) {
  dropout(inputs, outputs, count, seed, dropped, scale);
}

}  // extern "C"
