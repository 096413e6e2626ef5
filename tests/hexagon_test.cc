// Networks as C with the vectors of a Hexagon DSP give the bytes of the reference: in an emulator, and built for
// this machine with plain C in their place. Skipped, with the reason, where there is no compiler or emulator.

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <random>

#include "hone/model/load.h"
#include "hone/ops/infer_types.h"
#include "hone/ops/op_case.h"
#include "hone/targets/c_code/plan.h"
#include "hone/targets/c_code/scalar_text.h"
#include "hone/targets/devices.h"
#include "hone/targets/target.h"
#include "hone/workbench/workbench.h"
#include "tests/firmware_testing.h"
#include "tests/int8_layers.h"
#include "tests/real_inputs.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

constexpr const char* kDevice = "hexagon";

bool has_dsp() {
  return find_program("clang-19") && find_program("ld.lld-19") && find_program("qemu-hexagon");
}

#define SKIP_WITHOUT_DSP() \
  if (!has_dsp()) GTEST_SKIP() << "no clang-19, ld.lld-19 or qemu-hexagon"

std::string selftest_on_dsp(const fs::path& folder) {
  const std::string program = (folder / "hexagon.elf").string();
  std::vector<std::string> build = {"clang-19",
                                    "--target=hexagon-unknown-linux-musl",
                                    "-std=gnu11",
                                    "-O2",
                                    "-mv67",
                                    "-mhvx=v67",
                                    "-mhvx-length=128b",
                                    "-ffreestanding",
                                    "-nostdlib",
                                    "-static",
                                    "-fuse-ld=lld",
                                    (folder / "runtime.c").string(),
                                    "-o",
                                    program};
  std::ranges::copy(sources_of(folder), std::back_inserter(build));
  return ran(build, {"qemu-hexagon", "-cpu", "v67", program});
}

// The catalog's device, changed, as a file of its own.
template <class Change>
std::string changed_device(Change change) {
  Device device = **find_device(kDevice);
  change(*device.analytic()->dsp);
  const fs::path file = fs::path(testing::TempDir()) / str("changed_", getpid(), ".toml");
  std::ofstream(file) << device_text(device);
  return file.string();
}
std::string device_with_vtcm(int64_t kib) {
  return changed_device([&](DspSpec& dsp) { dsp.vtcm_kib = kib; });
}

// Both of them, as far as there are tools; what went wrong.
std::string tested(const Graph& graph, Rounding rounding, bool here = true,
                   const std::string& device = kDevice, int threads = 1) {
  const fs::path folder = fresh_folder();
  const Status written = write_firmware(graph, rounding, folder, {}, device, threads);
  if (!written.ok()) return written.error().message;
  const std::string wrong = here ? strict_selftest(folder) : "";
  return wrong.empty() && has_dsp() ? selftest_on_dsp(folder) : wrong;
}

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

struct RandomLayer {
  int64_t kernel = 1, stride = 1, dilation = 1, pad = 0, height = 1, width = 1, in = 1, out = 1;
  bool depthwise = false;
  bool relu = false;
  int64_t images = 2;
};

// A network of one convolution with an input and an output of its own.
void add_layer(Graph& graph, const RandomLayer& layer, std::mt19937& random) {
  const auto quant = [](float scale, int32_t zero) {
    return std::make_shared<const Quantization>(Quantization{{scale}, {zero}});
  };
  const auto any = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  Quantization scales;
  scales.axis = 0;
  for (int64_t n = 0; n < layer.out; ++n) {
    // One of them so small that its results are all the same, one of nearly half.
    const float usual = 0.0005F * static_cast<float>(any(1, 60));
    scales.scales.push_back(n == 3 ? 1e-9F : n == 5 ? 0.95F : usual);
    scales.zero_points.push_back(0);
  }
  Tensor w({DType::I8,
            {layer.out, layer.kernel, layer.kernel, layer.depthwise ? 1 : layer.in},
            std::make_shared<const Quantization>(scales)});
  for (int8_t& value : w.mutable_data<int8_t>()) value = static_cast<int8_t>(any(-128, 127));
  Tensor bias({DType::I32, {layer.out}});
  for (int32_t& value : bias.mutable_data<int32_t>()) {
    value = static_cast<int32_t>(any(-4000, 4000));
  }
  const std::string name = str("x", graph.inputs().size());
  Value* x = graph.add_input(name, TensorType{DType::I8,
                                              {layer.images, layer.height, layer.width, layer.in},
                                              quant(0.1F, static_cast<int32_t>(any(-128, 127)))});
  const auto extent = [&](int64_t size) {
    return (size + 2 * layer.pad - (layer.kernel - 1) * layer.dilation - 1) / layer.stride + 1;
  };
  const TensorType y{DType::I8,
                     {layer.images, extent(layer.height), extent(layer.width), layer.out},
                     quant(0.2F, static_cast<int32_t>(any(-20, 20)))};
  Node* node = graph.add_node("conv",
                              {x, graph.add_constant(name + "_w", std::move(w)),
                               graph.add_constant(name + "_b", std::move(bias))},
                              {y},
                              {{"layout", std::string("nhwc")},
                               {"pads", Ints{layer.pad, layer.pad, layer.pad, layer.pad}},
                               {"strides", Ints{layer.stride, layer.stride}},
                               {"dilations", Ints{layer.dilation, layer.dilation}},
                               {"activation", std::string(layer.relu ? "relu" : "")},
                               {"group", layer.depthwise ? layer.in : int64_t{1}}});
  node->outputs[0]->name = str("y", graph.inputs().size());
  graph.add_output(node->outputs[0]);
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

std::string rounding_of(const testing::TestParamInfo<Rounding>& info) {
  constexpr const char* kNames[] = {"twice", "once", "twice_upward"};
  return kNames[static_cast<size_t>(info.param)];
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

double counter(const ModelledRun& run, std::string_view name) {
  const auto found = std::ranges::find(run.counters, name, &Metric::name);
  return found == run.counters.end() ? 0 : found->value.value_or(0);
}

// A network of keyword spotting as a device runs it.
Result<Emulation> emulated_on(const std::string& device, int threads = 1) {
  HONE_TRY(auto model, open_model("zoo:ds_cnn_kws:int8", {}));
  std::vector<Item> inputs;
  for (const Value* input : model.graph.inputs()) {
    inputs.push_back(Tensor(TensorType{DType::F32, input->type.tensor.shape}));
  }
  HONE_TRY(const TargetDef* target, find_target(device));
  HONE_TRY(const auto program,
           target->open()->compile(std::move(*model.graph.clone()), {.threads = threads}));
  return program->emulate(inputs);
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

// Layers of 300 channels in three panels, of which one comes at a time; tensors of 27 KiB that have no room.
Graph layers_in_pieces(int64_t images = 2) {
  std::mt19937 random(5);
  Graph graph;
  graph.name = "pieces";
  add_layer(graph,
            {.kernel = 1,
             .stride = 1,
             .dilation = 1,
             .height = 5,
             .width = 9,
             .in = 40,
             .out = 300,
             .images = images},
            random);
  add_layer(graph,
            {.kernel = 3,
             .stride = 1,
             .dilation = 1,
             .pad = 1,
             .height = 6,
             .width = 5,
             .in = 5,
             .out = 288,
             .images = images},
            random);
  return graph;
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

c_code::Plan plan_with(const Graph& graph, c_code::CoreKernels core) {
  auto plan = c_code::make_plan(std::move(*graph.clone()), CompileOptions{}, core);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  return std::move(*plan);
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

// In the emulator the last part first, on this machine by threads.
TEST_P(HexagonRandom, PartsHaveThem) {
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
