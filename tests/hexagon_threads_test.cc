// Networks that several threads of a Hexagon DSP compute together give the bytes of the reference. Skipped, with the
// reason, where there is no compiler or emulator.

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "hone/ops/op_case.h"
#include "tests/hexagon_testing.h"

namespace hone {
namespace {

// Four threads that cost nothing to wake, so that everything is cut that can be.
std::string device_with_threads(int64_t vtcm_kib = 256) {
  return changed_device([&](DspSpec& dsp) {
    dsp.vtcm_kib = vtcm_kib;
    dsp.wake_cycles = 0;
  });
}
constexpr int kAllThreads = 4;

// Windows over every border, rows that threads do not divide evenly, channels of which the last panel is short.
Graph layers_in_parts() {
  std::mt19937 random(7);
  Graph graph;
  graph.name = "parts";
  const RandomLayer layers[] = {
      {.kernel = 3, .pad = 1, .height = 9, .width = 7, .in = 5, .out = 40},
      {.kernel = 3, .stride = 2, .pad = 1, .height = 11, .width = 6, .in = 9, .out = 33},
      {.kernel = 5, .dilation = 2, .pad = 3, .height = 13, .width = 12, .in = 3, .out = 9},
      {.kernel = 3, .pad = 1, .height = 10, .width = 9, .in = 24, .out = 24, .depthwise = true},
      {.kernel = 3, .stride = 2, .height = 9, .width = 9, .in = 150, .out = 150, .depthwise = true},
      {.kernel = 1, .height = 7, .width = 7, .in = 16, .out = 12},
      {.kernel = 1, .height = 2, .width = 3, .in = 40, .out = 300},
      {.kernel = 1, .height = 1, .width = 1, .in = 64, .out = 500},
      {.kernel = 3, .pad = 1, .height = 2, .width = 3, .in = 8, .out = 270}};
  for (RandomLayer layer : layers) {
    layer.images = 1;
    add_layer(graph, layer, random);
  }
  return graph;
}

TEST(HexagonThreads, LayersAreCutByRowsOrByPanels) {
  const c_code::Plan plan =
      plan_with(layers_in_parts(), {.hvx = true, .threads = 4, .contexts = 4});
  ASSERT_EQ(plan.parts.size(), 9u);
  for (size_t s = 0; s < plan.parts.size(); ++s) {
    EXPECT_TRUE(plan.parts[s].cut()) << s;
    EXPECT_EQ(plan.parts[s].by_panels, s >= 6) << s;
  }
  const c_code::Plan one = plan_with(layers_in_parts(), {.hvx = true, .threads = 4, .contexts = 1});
  for (size_t s = 0; s < one.parts.size(); ++s) {
    EXPECT_NE(one.parts[s].cut(), c_code::has_vectors(one.steps[s])) << "one thread has vectors";
  }
  for (const c_code::StepParts& parts :
       plan_with(layers_in_parts(), {.hvx = true, .threads = 4, .contexts = 4, .wake_cycles = 1e5})
           .parts) {
    EXPECT_FALSE(parts.cut()) << "waking takes longer";
  }
}

TEST(HexagonThreads, LayersWhosePanelsComeInPiecesAreCutByRows) {
  const c_code::Plan plan = plan_with(
      layers_in_pieces(1), {.hvx = true, .vtcm_bytes = 20 * 1024, .threads = 3, .contexts = 3});
  for (size_t s = 0; s < plan.parts.size(); ++s) {
    EXPECT_EQ(plan.vtcm.steps[s].pieces.size(), 3u) << s;
    EXPECT_TRUE(plan.parts[s].cut() && !plan.parts[s].by_panels) << s;
  }
}

class HexagonParts : public testing::TestWithParam<Rounding> {};

// In the emulator the last part first, on this machine by threads.
TEST_P(HexagonParts, HaveTheBytesOfTheReference) {
  SKIP_WITHOUT_COMPILER();
  EXPECT_EQ(tested(layers_in_parts(), GetParam(), true, device_with_threads(), kAllThreads), "");
}

TEST(HexagonThreads, PartsShareThePiecesOfWeights) {
  SKIP_WITHOUT_COMPILER();
  EXPECT_EQ(
      tested(layers_in_pieces(1), Rounding::Double, true, device_with_threads(20), kAllThreads),
      "");
}

TEST(HexagonThreads, OtherLayersAreCutToo) {
  SKIP_WITHOUT_COMPILER();
  const std::pair<const char*, const char*> layers[] = {
      {"add", "i8[1,9,5,30]<0.3:2> = (i8[1,9,5,30]<0.2:-7>, i8[1,9,5,30]<0.1:9>)"},
      {"mul", "i8[1,9,2,150]<0.3:2> = (i8[1,9,2,150]<0.2:-7>, i8[1,1,1,150]<0.1:9>)"},
      {"leaky_relu", "i8[1,9,7,50]<0.15:9> = (i8[1,9,7,50]<0.2:-7>) alpha=0.1"},
      {"max_pool",
       "i8[1,5,5,20]<0.1:3> = (i8[1,9,9,20]<0.1:3>) kernel_shape=[3,3] strides=[2,2] "
       "pads=[1,1,1,1] layout=\"nhwc\""}};
  for (const auto& [op, text] : layers) {
    SCOPED_TRACE(text);
    const auto graph = graph_of_case(op, text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const c_code::Plan plan = plan_with(*graph, {.hvx = true, .threads = 4, .contexts = 4});
    EXPECT_EQ(plan.parts[0].count, 4u);
    EXPECT_EQ(tested(*graph, Rounding::Double, true, device_with_threads(), kAllThreads), "");
  }
}

TEST(HexagonThreads, ScalarCodeIsCutAsWell) {
  SKIP_WITHOUT_COMPILER();
  const std::string device = changed_device([](DspSpec& dsp) {
    dsp.hvx = false;
    dsp.wake_cycles = 0;
  });
  EXPECT_EQ(tested(layers_in_parts(), Rounding::Double, true, device, kAllThreads), "");
}

// Layers that one thread computes where their operands lie: windows reach into rows of other parts.
TEST(HexagonThreads, WindowsDoNotReadWhatOtherPartsWroteOver) {
  SKIP_WITHOUT_COMPILER();
  const std::string plain = changed_device([](DspSpec& dsp) {
    dsp.hvx = false;
    dsp.wake_cycles = 0;
  });
  for (const auto& [model, device] : {std::pair("op:depthwise:1x64x25x5:k9s1:int8", kDevice),
                                      std::pair("op:depthwise:1x8x40x9:k3s1:int8", plain.c_str()),
                                      std::pair("zoo:micronet_kws_m:int8", plain.c_str())}) {
    SCOPED_TRACE(model);
    const auto opened = open_model(model, {});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    EXPECT_EQ(tested(opened->graph, Rounding::Single, true, device, 2), "");
  }
}

TEST(HexagonThreads, NoTwoTouchTheSameBytes) {
  SKIP_WITHOUT_COMPILER();
  const fs::path folder = fresh_folder();
  fs::create_directories(folder);
  std::ofstream(folder / "selftest.c") << "int main(void) { return 0; }\n";
  const std::vector<std::string> watched = {"-fsanitize=thread", "-g"};
  if (const std::string why = selftest_here(folder, watched); !why.empty()) {
    GTEST_SKIP() << "programs whose threads are watched do not run here: " << why;
  }
  const Status written = write_firmware(layers_in_parts(), Rounding::Double, folder, {},
                                        device_with_threads(), kAllThreads);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(selftest_here(folder, watched), "");
}

TEST(HexagonThreads, OneThreadHasNoParts) {
  const fs::path folder = fresh_folder();
  ASSERT_TRUE(write_firmware(layers_in_parts(), Rounding::Double, folder, {}, kDevice).ok());
  for (const char* file : {"hone_parts.c", "hone_parts.h", "selftest.c"}) {
    std::ifstream in(folder / file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_FALSE(text.empty()) << file;
    EXPECT_EQ(text.find("hone_run_parts"), std::string::npos) << file;
  }
}

double counter_of(const ModelledStep& step, std::string_view name) {
  return std::ranges::find(step.counters, name, &Metric::name)->value.value_or(0);
}

TEST(HexagonThreads, ShareTheWorkInAProfile) {
  SKIP_WITHOUT_DSP();
  const auto emulation = emulated_on(kDevice, kAllThreads);
  ASSERT_TRUE(emulation.ok()) << emulation.error().message;
  ASSERT_NE(emulation->program, nullptr) << emulation->why_not;
  const ModelledRun run = *emulation->program->modelled();
  EXPECT_EQ(counter(run, "threads"), 4);
  EXPECT_GT(counter(run, "speedup"), 1.2);
  EXPECT_LE(counter(run, "speedup"), 4);
  bool any = false;
  for (const ModelledStep& step : run.steps) {
    const double busy = counter_of(step, "packets") + counter_of(step, "stalls");
    const double computing = counter_of(step, "cycles") - counter_of(step, "waits");
    const double parts = counter_of(step, "parts"), imbalance = counter_of(step, "imbalance");
    EXPECT_GE(imbalance, 1);
    EXPECT_LE(imbalance, parts);
    const double waking = parts > 1 ? 1000 : 0;
    EXPECT_NEAR(computing, busy / parts * imbalance + waking, 1e-6 * busy);
    any = any || (parts == 4 && imbalance < 1.5);
  }
  EXPECT_TRUE(any) << "a layer in four parts that are nearly alike";
}

INSTANTIATE_TEST_SUITE_P(Roundings, HexagonParts,
                         testing::Values(Rounding::Double, Rounding::Single,
                                         Rounding::DoubleUpward),
                         rounding_of);

}  // namespace
}  // namespace hone
