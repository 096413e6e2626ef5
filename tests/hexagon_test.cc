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
                   const std::string& device = kDevice) {
  const fs::path folder = fresh_folder();
  const Status written = write_firmware(graph, rounding, folder, {}, device);
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
                                              {2, layer.height, layer.width, layer.in},
                                              quant(0.1F, static_cast<int32_t>(any(-128, 127)))});
  const auto extent = [&](int64_t size) {
    return (size + 2 * layer.pad - (layer.kernel - 1) * layer.dilation - 1) / layer.stride + 1;
  };
  const TensorType y{DType::I8,
                     {2, extent(layer.height), extent(layer.width), layer.out},
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
Result<Emulation> emulated_on(const std::string& device) {
  HONE_TRY(auto model, open_model("zoo:ds_cnn_kws:int8", {}));
  std::vector<Item> inputs;
  for (const Value* input : model.graph.inputs()) {
    inputs.push_back(Tensor(TensorType{DType::F32, input->type.tensor.shape}));
  }
  HONE_TRY(const TargetDef* target, find_target(device));
  HONE_TRY(const auto program,
           target->open()->compile(std::move(*model.graph.clone()), {.threads = 1}));
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
Graph layers_in_pieces() {
  std::mt19937 random(5);
  Graph graph;
  graph.name = "pieces";
  add_layer(
      graph,
      {.kernel = 1, .stride = 1, .dilation = 1, .height = 5, .width = 9, .in = 40, .out = 300},
      random);
  add_layer(graph,
            {.kernel = 3,
             .stride = 1,
             .dilation = 1,
             .pad = 1,
             .height = 6,
             .width = 5,
             .in = 5,
             .out = 288},
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
