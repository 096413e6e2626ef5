// Networks as C with the vectors of a Hexagon DSP give the bytes of the reference: in an emulator, and built for
// this machine with plain C in their place. Skipped, with the reason, where there is no compiler or emulator.

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "hone/model/load.h"
#include "hone/ops/op_case.h"
#include "hone/targets/c_code/plan.h"
#include "hone/targets/c_code/scalar_text.h"
#include "tests/hexagon_testing.h"
#include "tests/int8_layers.h"
#include "tests/real_inputs.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

bool is_int8(const Int8Layer& layer) {
  for (const char* other : {"u8[", "i16[", "f32", "quantize_linear"}) {
    if (layer.text.find(other) != std::string::npos || layer.op.ends_with(other)) return false;
  }
  return true;
}

TEST(HexagonLayers, HaveTheBytesOfTheReference) {
  SKIP_WITHOUT_DSP();
  for (const Int8Layer& layer : kInt8Layers) {
    if (!is_int8(layer)) continue;
    SCOPED_TRACE(layer.op + " " + layer.text);
    const auto graph = graph_of_case(layer.op, layer.text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    EXPECT_EQ(tested(*graph, Rounding::Double, false), "");
  }
}

class HexagonRandom : public testing::TestWithParam<Rounding> {};

// Channels of every remainder of vectors, fewer pixels than are taken at a time, windows over every border; pixels of so
// many bytes that vectors add them, so few channels that two pixels share a vector.
TEST_P(HexagonRandom, LayersHaveThem) {
  SKIP_WITHOUT_COMPILER();
  std::mt19937 random(static_cast<uint32_t>(GetParam()) + 1);
  const auto any = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  Graph graph;
  graph.name = "layers";
  for (int i = 0; i < 10; ++i) {
    const bool depthwise = i % 3 == 1, pixels = i % 3 == 0;
    const int64_t in = pixels ? 8 * any(1, 5) : depthwise ? any(6, 200) : any(1, 20);
    add_layer(graph,
              {.kernel = pixels ? 1 : any(1, 5),
               .stride = pixels ? 1 : any(1, 2),
               .dilation = pixels ? 1 : any(1, 2),
               .pad = pixels ? 0 : any(0, 3),
               .height = pixels ? any(1, 5) : any(9, 12),
               .width = pixels ? any(1, 5) : any(9, 12),
               .in = in,
               .out = depthwise ? in : any(6, 300),
               .depthwise = depthwise,
               .relu = i % 2 == 1},
              random);
  }
  for (const auto& [in, out] :
       {std::pair<int64_t, int64_t>{72, 32}, {264, 64}, {40, 16}, {16, 9}}) {
    add_layer(
        graph,
        {.kernel = 1, .stride = 1, .dilation = 1, .height = 3, .width = 3, .in = in, .out = out},
        random);
  }
  EXPECT_EQ(tested(graph, GetParam()), "");
  if (!has_dsp())
    GTEST_SKIP() << "no clang-19, ld.lld-19 or qemu-hexagon: run on this machine alone";
}

TEST_P(HexagonRandom, MeansAndProductsHaveThem) {
  SKIP_WITHOUT_COMPILER();
  const std::pair<const char*, const char*> layers[] = {
      {"reduce_mean", "i8[2,150]<0.05:3> = (i8[2,7,7,150]<0.1:-20>, i64[2]{1 2}) keepdims=0"},
      {"reduce_mean", "i8[1,1,1,20]<0.4:-90> = (i8[1,5,3,20]<0.1:90>, i64[2]{1 2})"},
      {"mul", "i8[2,3,2,150]<0.3:2> = (i8[2,3,2,150]<0.2:-7>, i8[2,1,1,150]<0.1:9>)"},
      {"mul", "i8[300]<0.3:2> = (i8[300]<0.2:-7>, i8[300]<0.4:9>)"}};
  for (const auto& [op, text] : layers) {
    SCOPED_TRACE(text);
    const auto graph = graph_of_case(op, text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    EXPECT_EQ(tested(*graph, GetParam()), "");
  }
}

// Whether vectors compute it, and that they give the reference's bytes.
void expect_by_vectors(const std::string& op, const std::string& text, Rounding rounding) {
  SCOPED_TRACE(op + " " + text);
  const auto graph = graph_of_case(op, text);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto plan = c_code::make_plan(std::move(*graph->clone()), CompileOptions{}, {.hvx = true});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_TRUE(c_code::has_vectors(plan->steps[0])) << plan->steps[0].calls[0].kernel;
  EXPECT_EQ(tested(*graph, rounding), "");
}

// Of fewer channels than a vector has, of some more, and of one value for all or for each row.
TEST_P(HexagonRandom, RepeatedOperandsHaveThem) {
  SKIP_WITHOUT_COMPILER();
  for (const char* op : {"add", "mul"}) {
    expect_by_vectors(op, "i8[2,5,3,20]<0.3:2> = (i8[2,5,3,20]<0.2:-7>, i8[2,1,1,20]<0.1:9>)",
                      GetParam());
    expect_by_vectors(op, "i8[1,3,2,150]<0.3:2> = (i8[1,3,2,150]<0.2:-7>, i8[150]<0.1:9>)",
                      GetParam());
    expect_by_vectors(op, "i8[3,7,200]<0.3:2> = (i8[3,7,200]<0.2:-7>, i8[3,7,1]<0.1:9>)",
                      GetParam());
    expect_by_vectors(op, "i8[333]<0.3:2> = (i8[333]<0.2:-7>, i8[1]<0.1:9>)", GetParam());
  }
}

TEST_P(HexagonRandom, SoftmaxHasThem) {
  SKIP_WITHOUT_COMPILER();
  for (const char* layer : {"[3,12]<0.2:5>", "[1,1000]<0.01:5>", "[2,128]<0.2:-3>",
                            "[5,33]<0.01:5>", "[4,1]<0.2:5>", "[2,161]<0.05:5>"}) {
    const std::string x = layer;
    const std::string shape = x.substr(0, x.find('<'));
    expect_by_vectors("softmax", "i8" + shape + "<0.00390625:-128> = (i8" + x + ")", GetParam());
  }
}

TEST_P(HexagonRandom, BlendedImagesHaveThem) {
  SKIP_WITHOUT_COMPILER();
  const char* layers[] = {
      "i8[2,7,9,3]<0.1:3> = (i8[2,4,5,3]<0.1:3>, _, _, i64[2]{7 9}) axes=[1,2] mode=\"linear\"",
      "i8[1,7,3,150]<0.1:3> = (i8[1,4,5,150]<0.1:3>, _, _, i64[2]{7 3}) axes=[1,2] "
      "mode=\"linear\" coordinate_transformation_mode=\"align_corners\"",
      "i8[1,9,8,128]<0.1:3> = (i8[1,4,5,128]<0.1:3>, _, _, i64[2]{9 8}) axes=[1,2] "
      "mode=\"linear\" coordinate_transformation_mode=\"asymmetric\""};
  for (const char* text : layers) expect_by_vectors("resize", text, GetParam());
}

TEST(HexagonMoves, AreMadeByVectors) {
  SKIP_WITHOUT_COMPILER();
  const std::pair<const char*, const char*> layers[] = {
      {"concat",
       "i8[3,5,240]<0.5:3> = (i8[3,5,20]<0.5:3>, i8[3,5,150]<0.5:3>, i8[3,5,70]<0.5:3>) axis=2"},
      {"slice", "i8[9,150]<0.5:3> = (i8[9,300]<0.5:3>, i64[1]{60}, i64[1]{210}, i64[1]{1})"},
      {"resize", "i8[1,8,6,50]<0.1:3> = (i8[1,4,3,50]<0.1:3>, _, f32[4]{1 2 2 1})"},
      {"resize", "i8[2,7,5,16]<0.1:3> = (i8[2,4,3,16]<0.1:3>, _, _, i64[4]{2 7 5 16})"},
      {"gather", "i8[2,5,130]<0.5:3> = (i8[2,4,130]<0.5:3>, i64[5]{0 3 3 1 0}) axis=1"},
      {"transpose", "i8[2,9,31,3]<0.5:3> = (i8[2,3,9,31]<0.5:3>) perm=[0,2,3,1]"},
      {"transpose", "i8[5,58,2]<0.5:3> = (i8[5,2,58]<0.5:3>) perm=[0,2,1]"},
      {"transpose", "i8[3,300,4]<0.5:3> = (i8[3,4,300]<0.5:3>) perm=[0,2,1]"},
      {"depth_to_space",
       "i8[1,6,4,32]<0.5:3> = (i8[1,3,2,128]<0.5:3>) blocksize=2 "
       "layout=\"nhwc\""}};
  for (const auto& [op, text] : layers) expect_by_vectors(op, text, Rounding::Double);
}

INSTANTIATE_TEST_SUITE_P(Roundings, HexagonRandom,
                         testing::Values(Rounding::Double, Rounding::Single,
                                         Rounding::DoubleUpward),
                         rounding_of);

TEST(HexagonTables, AreLookedUpInVectors) {
  SKIP_WITHOUT_COMPILER();
  for (const char* text : {"i8[3,50]<0.15:9> = (i8[3,50]<0.2:-7>) alpha=0.1",
                           "i8[1000]<0.15:9> = (i8[1000]<0.2:-7>) alpha=0.1"}) {
    const auto graph = graph_of_case("leaky_relu", text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    EXPECT_EQ(tested(*graph, Rounding::Double), "");
  }
}

TEST(HexagonProfile, CountsPackets) {
  SKIP_WITHOUT_DSP();
  const auto emulation = emulated_on(kDevice);
  ASSERT_TRUE(emulation.ok()) << emulation.error().message;
  ASSERT_NE(emulation->program, nullptr) << emulation->why_not;
  const ModelledRun run = *emulation->program->modelled();
  EXPECT_GT(counter(run, "packets"), 1e4);
  EXPECT_LT(counter(run, "packets"), 2e5);
  EXPECT_GE(counter(run, "cycles"), counter(run, "packets"));
  EXPECT_LE(counter(run, "vector_multiplies"), 2 * counter(run, "packets"));
  EXPECT_GT(counter(run, "unaligned_accesses"), 0);
  EXPECT_LE(counter(run, "unaligned_accesses"), counter(run, "vector_instructions"));
  double macs = 0, packets = 0;
  for (const ModelledStep& step : run.steps) {
    packets += std::ranges::find(step.counters, "packets", &Metric::name)->value.value_or(0);
  }
  for (const StepInfo& step : emulation->program->steps()) {
    macs += static_cast<double>(step.cost.macs);
  }
  EXPECT_LE(packets, counter(run, "packets"));
  EXPECT_NEAR(counter(run, "macs_per_packet"), macs / counter(run, "packets"), 0.01);
}

TEST(HexagonProfile, RunsScalarCodeWhereThereAreNoVectors) {
  SKIP_WITHOUT_DSP();
  const auto emulation = emulated_on(changed_device([](DspSpec& dsp) { dsp.hvx = false; }));
  ASSERT_TRUE(emulation.ok()) << emulation.error().message;
  ASSERT_NE(emulation->program, nullptr) << emulation->why_not;
  const ModelledRun run = *emulation->program->modelled();
  EXPECT_EQ(counter(run, "vector_instructions"), 0);
  EXPECT_GT(counter(run, "packets"), 2e5);
}

TEST(HexagonVtcm, WeightsComeInPieces) {
  SKIP_WITHOUT_COMPILER();
  const Graph graph = layers_in_pieces();
  constexpr size_t kVtcm = 20 * 1024;
  const auto plan = c_code::make_plan(std::move(*graph.clone()), CompileOptions{.threads = 1},
                                      {.hvx = true, .vtcm_bytes = kVtcm});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  for (const c_code::VtcmStep& step : plan->vtcm.steps) {
    EXPECT_EQ(step.residence, c_code::Residence::Fetched);
    EXPECT_EQ(step.pieces.size(), 3u);
  }
  EXPECT_EQ(tested(graph, Rounding::Double, true, device_with_vtcm(kVtcm / 1024)), "");
}

TEST(HexagonVtcm, IsNotAskedForWhereThereIsNone) {
  SKIP_WITHOUT_COMPILER();
  EXPECT_EQ(tested(layers_in_pieces(), Rounding::Single, true, device_with_vtcm(0)), "");
}

TEST(HexagonVtcm, TooLittleForAnyLayerIsRefused) {
  const Status written =
      write_firmware(layers_in_pieces(), Rounding::Double, fresh_folder(), {}, device_with_vtcm(1));
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind, ErrorKind::Resource);
  for (const char* part :
       {"layer '", "' takes ", " bytes of VTCM", "there are 1024", "vtcm_kib = "}) {
    EXPECT_NE(written.error().message.find(part), std::string::npos) << written.error().message;
  }
}

class HexagonNetworks : public testing::TestWithParam<std::string> {};

using MakeInputs = std::function<std::vector<c_code::Bytes>(const c_code::Plan& plan)>;

// Its self-test in the emulator; what went wrong.
std::string tested_on_dsp(const fs::path& file, const std::string& name, const MakeInputs& make) {
  const auto model = load_model(file.string());
  if (!model.ok()) return model.error().message;
  auto plan = c_code::make_plan(std::move(*model->graph.clone()), CompileOptions{.threads = 1},
                                {.hvx = true});
  if (!plan.ok()) return plan.error().message;
  const auto tests = c_code::reference_tests(model->graph, *plan, make(*plan));
  if (!tests.ok()) return tests.error().message;
  const fs::path folder = fresh_folder();
  const Status written = c_code::write_project(*plan,
                                               {.model = name,
                                                .device = kDevice,
                                                .prefix = "hone_" + name,
                                                .core = "v67",
                                                .toolchain = c_code::Toolchain::Hexagon},
                                               *tests, folder);
  return written.ok() ? selftest_on_dsp(folder) : written.error().message;
}

TEST_P(HexagonNetworks, HaveTheBytesOfTheReferenceOnRealInputs) {
  const fs::path file = shared_dir() / "models" / "mlperf_tiny" / (GetParam() + "_int8.tflite");
  HONE_SKIP_WITHOUT(file);
  SKIP_WITHOUT_DSP();
  const auto inputs = [](const c_code::Plan& plan) {
    std::vector<c_code::Bytes> real = real_inputs(GetParam(), plan);
    return real.empty() ? c_code::noise_inputs(plan, 2) : real;
  };
  EXPECT_EQ(tested_on_dsp(file, GetParam(), inputs), "");
}

// Bytes without a sign at its ends, int8 inside.
TEST(HexagonEnds, OfUnsignedBytesAreTheCallers) {
  const fs::path file = shared_dir() / "models" / "coral" / "mobilenet_v2_ptq_int8.tflite";
  HONE_SKIP_WITHOUT(file);
  SKIP_WITHOUT_DSP();
  const auto noise = [](const c_code::Plan& plan) { return c_code::noise_inputs(plan, 1); };
  EXPECT_EQ(tested_on_dsp(file, "mobilenet_v2", noise), "");
}

INSTANTIATE_TEST_SUITE_P(Tiny, HexagonNetworks, testing::Values("ad", "ic", "kws", "vww"),
                         [](const auto& param) { return param.param; });

// As layers without groups, as long as their weights do not grow too much.
TEST(HexagonGroups, GoByVectorsUpToSixteen) {
  const auto plan_of = [](const char* text) {
    const auto graph = graph_of_case("conv", text);
    EXPECT_TRUE(graph.ok());
    return plan_with(*graph, {.hvx = true});
  };
  const c_code::Plan few = plan_of(
      "i8[1,5,4,60]<0.4:3> = (i8[1,5,4,24]<0.1:-5>, const i8[60,1,1,8]<0.02:0>, _) "
      "layout=\"nhwc\" group=3");
  EXPECT_TRUE(c_code::has_vectors(few.steps[0]));
  EXPECT_EQ(c_code::bytes_of(few.steps[0].arrays[0]), size_t{64 * 24});  // Vectors of 32 channels.
  EXPECT_EQ(c_code::group_notes(few),
            std::vector<std::string>{"1 layer with groups of channels by vectors as if there were "
                                     "none: weights of 0 between them make 1.50 KiB of 512 B "
                                     "('y0')"});
  const c_code::Plan many = plan_of(
      "i8[1,5,4,40]<0.4:3> = (i8[1,5,4,20]<0.1:-5>, const i8[40,3,3,1]<0.02:0>, _) "
      "layout=\"nhwc\" pads=[1,1,1,1] group=20");
  EXPECT_FALSE(c_code::has_vectors(many.steps[0]));
  EXPECT_TRUE(c_code::group_notes(many).empty());
}

TEST(HexagonErrors, NameTheLayer) {
  const auto floats = graph_of_case("conv", "(f32[1,6,6,4], const f32[8,3,3,4]) layout=\"nhwc\"");
  ASSERT_TRUE(floats.ok());
  const Status written = write_firmware(*floats, Rounding::Double, fresh_folder(), {}, kDevice);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(written.error().message.find("layer 'y0' (conv): "), std::string::npos)
      << written.error().message;
}

}  // namespace
}  // namespace hone
