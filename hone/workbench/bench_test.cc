#include "hone/workbench/bench.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(BenchModels, TellsOfEveryCaseInItsPlace) {
  size_t steps = 0, expected_steps = 0;
  const auto results = bench_models({{"zoo:ds_cnn_kws"}, {"zoo:no_such"}, {"zoo:resnet8"}}, "cpu",
                                    {.threads = 1}, 0.01, {}, [&](size_t done, size_t total) {
                                      ++steps;
                                      EXPECT_EQ(done, steps);
                                      expected_steps = total;
                                    });
  EXPECT_EQ(steps, expected_steps);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_FALSE(results[1].ok());
  for (const size_t i : {0, 2}) {
    ASSERT_TRUE(results[i].ok()) << results[i].error().message;
    const BenchResult& result = *results[i];
    EXPECT_GE(result.latency.n, 10);
    EXPECT_LE(*result.latency.low, *result.median_low);
    EXPECT_LE(*result.median_low, *result.latency.value);
    EXPECT_LE(*result.latency.value, *result.median_high);
    EXPECT_LE(*result.median_high, *result.latency.high);
  }
}

TEST(BenchModels, SaysNothingOfKernelsHereWhereATimeIsModelled) {
  const auto results =
      bench_models({{"zoo:resnet8:int8"}}, "edge-tpu-usb", {.threads = 1}, 0, {}, {});
  ASSERT_TRUE(results[0].ok()) << results[0].error().message;
  EXPECT_EQ(results[0]->latency.mode, Mode::Simulated);
  EXPECT_TRUE(results[0]->reference_ops.empty());
  EXPECT_TRUE(results[0]->plain_kernels.empty());
}

}  // namespace
}  // namespace hone
