#include "hone/kernels/gemm/fetch_ahead.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "hone/kernels/gemm/gemm_block.h"
#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

// Every line of every region is given out, whatever the pieces are.
TEST(FetchAhead, GivesOutAllLines) {
  std::mt19937 rng(1);
  const std::vector<std::byte> memory(1 << 16);
  for (int round = 0; round < 200; ++round) {
    std::vector<FetchAhead::Region> regions;
    size_t begin = 0;
    for (size_t count = 1 + rng() % 3; count > 0; --count) {
      const size_t bytes = 64 * (1 + rng() % 200);
      regions.emplace_back(memory.data() + begin, bytes);
      begin += bytes + 64;
    }
    std::set<const std::byte*> wanted, given;
    for (const auto& region : regions) {
      for (size_t i = 0; i < region.size(); i += 64) wanted.insert(region.data() + i);
    }
    FetchAhead ahead(regions);
    EXPECT_EQ(ahead.lines(), wanted.size());
    while (!ahead.empty()) {
      const size_t count = 1 + rng() % 300;
      const FetchAhead::Piece piece = ahead.take(count);
      for (size_t i = 0; i < count; ++i) {
        const std::byte* at = piece.at + i * piece.step;
        given.insert(at - (at - memory.data()) % 64);
      }
    }
    EXPECT_TRUE(std::ranges::includes(given, wanted)) << "round " << round;
  }
}

HONE_VARIANT_TEST(FetchingGemmTest, GemmF32, gemm_f32_variants);

// A product gives the same while it fetches, with panels near and far and of every width.
TEST_P(FetchingGemmTest, ResultsAreTheSame) {
  const GemmF32& kernel = GetParam().run;
  std::mt19937 rng(2);
  const std::vector<std::byte> memory(100'000);
  const FetchAhead::Region region(memory);
  for (const size_t depth : {size_t{3}, size_t{40}, size_t{700}}) {
    for (const size_t n : {size_t{5}, kernel.nr, 3 * kernel.nr + 17}) {
      const size_t rows = 3 * kernel.mr + 2;
      const auto a = random_values<float>(rows * depth, -1, 1, rng);
      const auto w = random_values<float>(n * depth, -1, 1, rng);
      std::vector<float> panels(kernel.packed_elements(n, depth));
      gemm_pack<float>({w.data(), n, depth, depth, 1, nullptr}, kernel, 0, kernel.panels(n),
                       panels.data());
      std::vector<const float*> pointers;
      for (size_t r = 0; r < rows; ++r) pointers.push_back(a.data() + r * depth);
      std::vector<float> plain(rows * n), fetching(rows * n);
      GemmProduct<float> product{kernel, n, 1, depth, panels.data(), -10, 10};
      gemm_block<float>(product, {rows, pointers.data(), plain.data(), n, nullptr, 0}, 0,
                        kernel.panels(n));
      FetchAhead ahead({&region, 1});
      product.ahead = &ahead;
      gemm_block<float>(product, {rows, pointers.data(), fetching.data(), n, nullptr, 0}, 0,
                        kernel.panels(n));
      EXPECT_EQ(plain, fetching) << "depth " << depth << ", " << n << " columns";
      product.ahead = nullptr;
      std::vector<float> of_far_rows(rows * n);
      gemm_block<float>(product, {rows, pointers.data(), of_far_rows.data(), n, nullptr, 0, true},
                        0, kernel.panels(n));
      EXPECT_EQ(plain, of_far_rows) << "depth " << depth << ", " << n << " columns";
    }
  }
}

}  // namespace
}  // namespace hone
