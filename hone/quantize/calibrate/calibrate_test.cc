#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hone/ops/infer_types.h"
#include "hone/ops/interpreter.h"
#include "hone/quantize/calibrate/observe.h"
#include "hone/quantize/calibrate/range_method.h"
#include "hone/quantize/layers.h"
#include "hone/quantize/quantize_testing.h"

namespace hone {
namespace {

uint64_t sum_of(const Histogram& histogram) {
  uint64_t sum = 0;
  for (size_t i = 0; i < Histogram::kBins; ++i) sum += histogram.bin(i);
  return sum;
}

TEST(Histogram, KeepsEveryValueWhileItGrows) {
  Histogram histogram;
  histogram.add(std::vector<float>{0.1f, -0.1f});
  histogram.add(std::vector<float>{1000.0f, -3.0f, 0.0f});
  EXPECT_EQ(histogram.count(), 5u);
  EXPECT_EQ(sum_of(histogram), 5u);
  // Bins of half a unit now, and each value in its own.
  EXPECT_EQ(histogram.bin_width(), 0.5f);
  EXPECT_EQ(histogram.bin(Histogram::kBins / 2 + 2000), 1u);
  EXPECT_EQ(histogram.bin(Histogram::kBins / 2 - 6), 1u);
}

TEST(Histogram, DoesNotDependOnTheOrder) {
  const std::vector<float> small = normals(5000, 1, 0.01f);
  const std::vector<float> large = normals(5000, 2, 50.0f);
  Histogram a, b, c, d;
  a.add(small);
  a.add(large);
  b.add(large);
  b.add(small);
  c.add(small);
  d.add(large);
  c.add(d);
  for (size_t i = 0; i < Histogram::kBins; ++i) {
    ASSERT_EQ(a.bin(i), b.bin(i)) << i;
    ASSERT_EQ(a.bin(i), c.bin(i)) << i;
  }
}

// No limit is larger than they are.
TEST(Histogram, TakesTheLargestFloats) {
  constexpr float kMost = std::numeric_limits<float>::max();
  Histogram large, small;
  large.add(std::vector<float>{-kMost, 0, 0x1p127f});
  small.add(std::vector<float>{1, -2});
  Histogram both = small;
  both.add(large);
  large.add(small);
  for (const Histogram& histogram : {both, large}) {
    EXPECT_EQ(histogram.count(), 5u);
    EXPECT_EQ(sum_of(histogram), 5u);
    EXPECT_EQ(histogram.bin(0), 1u);
    EXPECT_EQ(histogram.bin(Histogram::kBins - 1), 1u);
    EXPECT_TRUE(std::isfinite(histogram.bin_low(Histogram::kBins - 1)));
  }
}

TEST(Histogram, LeavesOutWhatIsNotFinite) {
  Histogram histogram;
  histogram.add(std::vector<float>{NAN, INFINITY, -INFINITY, 1.0f, 0.0f});
  EXPECT_EQ(histogram.count(), 2u);
}

Observation observed(const std::vector<float>& values) {
  Observation seen;
  seen.add(values);
  return seen;
}

TEST(Observation, SeesTheExtremesWhereverTheyAre) {
  for (const size_t size : {1u, 7u, 64u, 1000u, 100000u}) {
    std::vector<float> values = normals(size, 3);
    values[size / 2] = -90;
    values[size - 1] = 80;
    const Observation seen = observed(values);
    EXPECT_EQ(seen.range.high, 80);
    EXPECT_EQ(seen.range.low, size == 1 ? 80 : -90);
    EXPECT_LE(seen.histogram.count(), Observation::kHistogramValues);
  }
}

TEST(Observation, AveragesSlowly) {
  Observation seen;
  seen.add(std::vector<float>{-1, 1});
  seen.add(std::vector<float>{-1, 101});
  EXPECT_FLOAT_EQ(seen.average.high, 2);
  EXPECT_EQ(seen.range.high, 101);
}

TEST(Observation, SaysThatANumberIsNotFinite) {
  Observation seen;
  seen.add(std::vector<float>{1, INFINITY});
  EXPECT_FALSE(seen.finite);
}

// Expected squared error of quantizing the values themselves.
double true_error(const std::vector<float>& values, Range range, const Scheme& scheme) {
  const Quantization params = activation_params(range, scheme);
  double sum = 0;
  for (const float x : values) {
    const float code = std::clamp(
        std::round(x / params.scale()) + static_cast<float>(params.zero_point()), -128.0f, 127.0f);
    const double off =
        x - double{(code - static_cast<float>(params.zero_point())) * params.scale()};
    sum += off * off;
  }
  return sum;
}

TEST(RangeMethod, MseIsNearTheBestOfAllRanges) {
  std::vector<float> values = normals(4096, 4);
  values[17] = 60;  // One outlier, which min-max would cover.
  const Observation seen = observed(values);
  const Scheme scheme;
  const double chosen = true_error(values, choose_range(seen, RangeMethod::Mse, 0, scheme), scheme);
  double best = 1e30;
  for (int low = 1; low <= 40; ++low) {
    for (int high = 1; high <= 240; ++high) {
      const Range range{seen.range.low * static_cast<float>(low) / 40,
                        seen.range.high * static_cast<float>(high) / 240};
      best = std::min(best, true_error(values, range, scheme));
    }
  }
  EXPECT_LE(chosen, best * 1.1);
  EXPECT_LT(chosen, true_error(values, seen.range, scheme));
}

TEST(RangeMethod, PercentileAndEntropyCutOutliers) {
  std::vector<float> values = normals(4096, 5);
  values[17] = 1000;
  const Observation seen = observed(values);
  EXPECT_EQ(choose_range(seen, RangeMethod::MinMax, 0, {}).high, 1000);
  EXPECT_LT(choose_range(seen, RangeMethod::Percentile, 99.9, {}).high, 10);
  EXPECT_LT(choose_range(seen, RangeMethod::Entropy, 0, {}).high, 200);
}

TEST(RangeMethod, EntropyKeepsWhatIsEvenlyUsed) {
  std::vector<float> values(4096);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 4096;
  const Range range = choose_range(observed(values), RangeMethod::Entropy, 0, {});
  EXPECT_GT(range.high, 0.95f);
}

TEST(RangeMethod, NamesThoseThereAre) {
  EXPECT_EQ(*range_method_named("mse"), RangeMethod::Mse);
  EXPECT_FALSE(range_method_named("kl").ok());
}

// conv -> relu -> add (with the input of the relu's reader kept apart) -> sigmoid, images in nchw.
constexpr const char* kNetwork = R"(
graph(%x: f32[1,8,6,6]) -> (%y) {
  %c: f32[1,8,6,6] = conv(%x, f32[8,8,1,1]{WEIGHTS}, _)
  %r: f32[1,8,6,6] = relu(%c)
  %d: f32[1,8,6,6] = conv(%r, f32[8,8,1,1]{WEIGHTS}, _)
  %s: f32[1,8,6,6] = add(%d, %r)
  %g: f32[1,8,6,6] = sigmoid(%s)
  %y: f32[1,8,6,6] = mul(%s, %g)
})";

Graph network() {
  const std::string weights = join_numbers(normals(64, 6));
  std::string text = kNetwork;
  for (size_t at = text.find("WEIGHTS"); at != std::string::npos; at = text.find("WEIGHTS")) {
    text.replace(at, 7, weights);
  }
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return *std::move(graph);
}

TEST(Observe, SeesOnTheCpuTargetWhatTheReferenceComputes) {
  const Graph graph = network();
  const auto plan = PlanReader::make({});
  const auto points = calibration_points(graph, find_layers(graph, *plan));
  EXPECT_GE(points.size(), 5u);
  const SampleSource samples{4, [](int64_t i) -> Result<std::vector<Item>> {
                               return std::vector<Item>{Item(Tensor::of<float>(
                                   {1, 8, 6, 6}, normals(288, static_cast<unsigned>(i))))};
                             }};
  const auto seen = observe(graph, points, samples, {.progress = false});
  ASSERT_TRUE(seen.ok()) << seen.error().message;

  std::unordered_map<const Value*, Observation> expected;
  for (int64_t i = 0; i < samples.count; ++i) {
    const auto inputs = *samples.sample(i);
    expected[graph.inputs()[0]].add(inputs[0].tensor.data<float>());
    const auto look = [&](const Node& node, const std::vector<Item>& outputs) {
      expected[node.outputs[0]].add(outputs[0].tensor.data<float>());
    };
    ASSERT_TRUE(run_graph(graph, inputs, {.eval = {}, .after_node = look}).ok());
  }
  for (const Value* point : points) {
    const Observation& a = seen->at(point);
    const Observation& e = expected.at(point);
    EXPECT_EQ(a.samples, 4) << point->name;
    EXPECT_NEAR(a.range.low, e.range.low, 1e-4) << point->name;
    EXPECT_NEAR(a.range.high, e.range.high, 1e-4) << point->name;
    EXPECT_EQ(a.histogram.count(), e.histogram.count()) << point->name;
  }
}

TEST(Observe, RefusesAnEmptySet) {
  const Graph graph = network();
  const SampleSource none{0, [](int64_t) -> Result<std::vector<Item>> { return bad_input("-"); }};
  const auto seen = observe(graph, {graph.inputs()[0]}, none, {.progress = false});
  ASSERT_FALSE(seen.ok());
  EXPECT_NE(seen.error().message.find("no samples"), std::string::npos);
}

}  // namespace
}  // namespace hone
