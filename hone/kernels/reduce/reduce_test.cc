#include "hone/kernels/reduce/reduce.h"

#include <gtest/gtest.h>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

template <class T>
void check_one(Reduce<T> kernel, Reduce<T> reference, ReduceOp op, size_t outer, size_t n,
               size_t inner, std::mt19937& rng) {
  const size_t gap = inner == 1 ? 0 : rng() % 3;
  const size_t stride = inner + gap;
  std::vector<T> x = random_values<T>(outer * n * stride, -3, 3, rng);
  if (rng() % 3 == 0) plant_nans(x, rng);
  std::vector<T> expected(outer * inner), actual(outer * inner);
  ReduceArgs<T> args{op, outer, n, inner, x.data(), n * stride, stride, expected.data(), inner};
  reference(args);
  args.y = actual.data();
  kernel(args);
  const bool sums = op == ReduceOp::Sum || op == ReduceOp::Mean;
  const float magnitudes = op == ReduceOp::Sum ? 3 * static_cast<float>(n) : 3;
  const float absolute = sums ? static_cast<float>(n) * 0x1p-24f * magnitudes : 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(close(actual[i], expected[i], sums && sizeof(T) == 2 ? 0x1p-10f : 0, absolute))
        << "op " << static_cast<int>(op) << ", n " << n << ", inner " << inner << ": "
        << float{actual[i]} << ", expected " << float{expected[i]};
  }
}

template <class T>
void check(Reduce<T> kernel, Reduce<T> reference) {
  std::mt19937 rng(1);
  for (const ReduceOp op : {ReduceOp::Sum, ReduceOp::Mean, ReduceOp::Max, ReduceOp::Min}) {
    for (size_t n = 1; n <= 80; ++n) check_one(kernel, reference, op, 3, n, 1, rng);
    for (size_t inner = 2; inner <= 90; ++inner) {
      check_one(kernel, reference, op, 2, 1 + rng() % 20, inner, rng);
    }
    check_one(kernel, reference, op, 1, 49, 300, rng);
  }
}

HONE_VARIANT_TEST(ReduceF32Test, Reduce<float>, reduce_f32_variants);
HONE_VARIANT_TEST(ReduceF16Test, Reduce<Half>, reduce_f16_variants);

TEST_P(ReduceF32Test, EveryLength) {
  check(GetParam().run, reduce_f32_variants().back().run);
}
TEST_P(ReduceF16Test, EveryLength) {
  check(GetParam().run, reduce_f16_variants().back().run);
}

}  // namespace
}  // namespace hone
