#include "hone/kernels/rnn_gates/rnn_gates.h"

#include <gtest/gtest.h>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

constexpr size_t kBatch = 3;

void expect_close(const std::vector<float>& actual, const std::vector<float>& expected,
                  size_t hidden) {
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(close(actual[i], expected[i], 4e-6f, 4e-6f))
        << "hidden " << hidden << ", element " << i << ": " << actual[i] << ", expected "
        << expected[i];
  }
}

HONE_VARIANT_TEST(LstmGatesTest, LstmGates, lstm_gates_variants);
HONE_VARIANT_TEST(GruGatesTest, GruGates, gru_gates_variants);

TEST_P(LstmGatesTest, EveryLength) {
  std::mt19937 rng(1);
  for (size_t hidden = 1; hidden <= 40; ++hidden) {
    const size_t stride = 4 * hidden + hidden % 3;
    const auto gates = random_values<float>(kBatch * stride, -6, 6, rng);
    const auto peepholes = random_values<float>(3 * hidden, -1, 1, rng);
    const auto c = random_values<float>(kBatch * hidden, -2, 2, rng);
    const auto run = [&](LstmGates kernel, std::vector<float>& c_of, std::vector<float>& h) {
      c_of = c;
      h.assign(kBatch * (hidden + 1), 0.0f);
      kernel({.batch = kBatch,
              .hidden = hidden,
              .gates = gates.data(),
              .gates_stride = stride,
              .peepholes = hidden % 2 == 0 ? peepholes.data() : nullptr,
              .coupled = hidden % 5 == 0,
              .c = c_of.data(),
              .h = h.data(),
              .h_stride = hidden + 1});
    };
    std::vector<float> c_expected, h_expected, c_actual, h_actual;
    run(lstm_gates_variants().back().run, c_expected, h_expected);
    run(GetParam().run, c_actual, h_actual);
    expect_close(c_actual, c_expected, hidden);
    expect_close(h_actual, h_expected, hidden);
  }
}

TEST_P(GruGatesTest, EveryLengthAndPart) {
  using Part = GruGatesArgs::Part;
  std::mt19937 rng(2);
  for (const Part part : {Part::Reset, Part::Update, Part::UpdateLinear}) {
    for (size_t hidden = 1; hidden <= 40; ++hidden) {
      const size_t stride = 3 * hidden + hidden % 3;
      const auto x = random_values<float>(kBatch * stride, -4, 4, rng);
      const auto r = random_values<float>(kBatch * stride, -4, 4, rng);
      const auto h = random_values<float>(kBatch * hidden, -1, 1, rng);
      std::vector<float> expected(h.size()), actual = h;
      GruGatesArgs args{part,   kBatch,   hidden, x.data(),        stride, r.data(),
                        stride, h.data(), hidden, expected.data(), hidden};
      gru_gates_variants().back().run(args);
      args.h = args.y = actual.data();  // In place.
      GetParam().run(args);
      expect_close(actual, expected, hidden);
    }
  }
}

}  // namespace
}  // namespace hone
