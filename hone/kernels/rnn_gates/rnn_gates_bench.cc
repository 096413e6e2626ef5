#include "hone/kernels/rnn_gates/rnn_gates.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

constexpr size_t kHidden = 128;

const bool kLstm = bench_variants(
    "lstm_gates/1x128", lstm_gates_variants(), [](benchmark::State& state, LstmGates kernel) {
      const std::vector<float> gates(4 * kHidden, 0.3f);
      std::vector<float> c(kHidden), h(kHidden);
      const LstmGatesArgs args{1,     kHidden,  gates.data(), 4 * kHidden, nullptr,
                               false, c.data(), h.data(),     kHidden};
      for (auto _ : state) {
        kernel(args);
        benchmark::ClobberMemory();
      }
      set_rate(state, "elements", kHidden);
    });

const bool kGru = bench_variants(
    "gru_gates/1x128", gru_gates_variants(), [](benchmark::State& state, GruGates kernel) {
      const std::vector<float> x(3 * kHidden, 0.3f), r(3 * kHidden, 0.2f);
      std::vector<float> h(kHidden);
      const GruGatesArgs args{GruGatesArgs::Part::UpdateLinear,
                              1,
                              kHidden,
                              x.data(),
                              3 * kHidden,
                              r.data(),
                              3 * kHidden,
                              h.data(),
                              kHidden,
                              h.data(),
                              kHidden};
      for (auto _ : state) {
        kernel(args);
        benchmark::ClobberMemory();
      }
      set_rate(state, "elements", kHidden);
    });

}  // namespace
}  // namespace hone
