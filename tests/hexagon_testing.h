// What the tests of networks for a Hexagon DSP share: where they run, and layers to try.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "hone/targets/c_code/plan.h"
#include "hone/targets/devices.h"
#include "hone/targets/target.h"
#include "hone/workbench/workbench.h"
#include "tests/firmware_testing.h"

namespace hone {

inline constexpr const char* kDevice = "hexagon";

inline bool has_dsp() {
  return find_program("clang-19") && find_program("ld.lld-19") && find_program("qemu-hexagon");
}

#define SKIP_WITHOUT_DSP() \
  if (!has_dsp()) GTEST_SKIP() << "no clang-19, ld.lld-19 or qemu-hexagon"

inline std::string selftest_on_dsp(const fs::path& folder) {
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
inline std::string changed_device(Change change) {
  Device device = **find_device(kDevice);
  change(*device.analytic()->dsp);
  const fs::path file = fs::path(testing::TempDir()) / str("changed_", getpid(), ".toml");
  std::ofstream(file) << device_text(device);
  return file.string();
}
inline std::string device_with_vtcm(int64_t kib) {
  return changed_device([&](DspSpec& dsp) { dsp.vtcm_kib = kib; });
}

// Both of them, as far as there are tools; what went wrong.
inline std::string tested(const Graph& graph, Rounding rounding, bool here = true,
                          const std::string& device = kDevice, int threads = 1) {
  const fs::path folder = fresh_folder();
  const Status written = write_firmware(graph, rounding, folder, {}, device, threads);
  if (!written.ok()) return written.error().message;
  const std::string wrong = here ? strict_selftest(folder) : "";
  return wrong.empty() && has_dsp() ? selftest_on_dsp(folder) : wrong;
}

struct RandomLayer {
  int64_t kernel = 1, stride = 1, dilation = 1, pad = 0, height = 1, width = 1, in = 1, out = 1;
  bool depthwise = false;
  bool relu = false;
  int64_t images = 2;
};

// A network of one convolution with an input and an output of its own.
inline void add_layer(Graph& graph, const RandomLayer& layer, std::mt19937& random) {
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

inline std::string rounding_of(const testing::TestParamInfo<Rounding>& info) {
  constexpr const char* kNames[] = {"twice", "once", "twice_upward"};
  return kNames[static_cast<size_t>(info.param)];
}

inline double counter(const ModelledRun& run, std::string_view name) {
  const auto found = std::ranges::find(run.counters, name, &Metric::name);
  return found == run.counters.end() ? 0 : found->value.value_or(0);
}

// A network of keyword spotting as a device runs it.
inline Result<Emulation> emulated_on(const std::string& device, int threads = 1) {
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

// Layers of 300 channels in three panels, of which one comes at a time; tensors of 27 KiB that have no room.
inline Graph layers_in_pieces(int64_t images = 2) {
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

inline c_code::Plan plan_with(const Graph& graph, c_code::CoreKernels core) {
  auto plan = c_code::make_plan(std::move(*graph.clone()), CompileOptions{}, core);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  return std::move(*plan);
}

}  // namespace hone
