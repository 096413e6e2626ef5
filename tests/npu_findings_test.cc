// Networks and NPUs with a known flaw: the rule that is made for it must come first, and must be
// silent once the flaw is gone. Times are simulated, so nothing here depends on the machine.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "hone/analyze/rule_def.h"
#include "hone/base/str.h"
#include "hone/quantize/quantize.h"
#include "hone/targets/devices.h"
#include "hone/workbench/diagnose_model.h"
#include "hone/workbench/optimize_model.h"
#include "hone/workbench/workbench.h"
#include "hone/zoo/builder.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// "npu" of the catalog, changed.
using Change = void (*)(NpuSpec& npu);
void as_it_is(NpuSpec&) {}

struct PlantedFault {
  std::string name;
  std::string rule;  // The one that must come first.
  Graph (*flawed)();
  Graph (*repaired)();
  Change flawed_npu = as_it_is;
  Change repaired_npu = as_it_is;
  // Both do the same work but for the flaw, so that what the rule promises can be held against it.
  bool comparable = false;
};

Graph quantized(Graph graph) {
  std::vector<std::vector<Item>> samples = {*make_inputs(graph, {}, 1)};
  EXPECT_TRUE(quantize_static(graph, samples).ok());
  return graph;
}

// Convolutions of 3x3 behind one another.
Graph stack(int64_t channels, int64_t size, int layers, int64_t kernel = 3) {
  NetworkBuilder net("stack", 1);
  Value* x = net.input("x", {1, 16, size, size});
  for (int i = 0; i < layers; ++i) {
    const int64_t side = i == layers / 2 ? kernel : 3;
    x = net.conv(x, {.channels = channels, .kernel = side, .bias = true}, str("conv", i));
    x = net.activation(x, Nonlinearity::Relu, str("relu", i));
  }
  return quantized(net.finish(net.global_average_pool(x, "mean_of_all"), "y"));
}
Graph good_stack() {
  return stack(64, 28, 4);
}
Graph narrow_stack() {
  return stack(8, 56, 4);
}
Graph wide_images() {
  return stack(64, 112, 3);
}
Graph tiny_stack() {
  return stack(64, 7, 1);
}
Graph large_kernel() {
  return stack(64, 28, 4, 7);
}

// Every weight is used once.
Graph products() {
  NetworkBuilder net("products", 1);
  Value* x = net.input("x", {1, 256, 1, 1});
  for (int i = 0; i < 4; ++i) {
    x = net.conv(x, {.channels = 1024, .bias = true}, str("conv", i));
    x = net.activation(x, Nonlinearity::Relu, str("relu", i));
  }
  return quantized(net.finish(x, "y"));
}

using Middle = Value* (*)(NetworkBuilder& net, Value* x);
Graph with_middle(Middle middle) {
  NetworkBuilder net("middle", 1);
  Value* x = net.input("x", {1, 16, 28, 28});
  x = net.conv(x, {.channels = 64, .kernel = 3, .bias = true}, "before");
  x = middle(net, x);
  x = net.conv(x, {.channels = 64, .kernel = 3, .bias = true}, "after");
  return quantized(net.finish(net.global_average_pool(x, "mean_of_all"), "y"));
}
Graph hard_swish_between() {
  return with_middle([](NetworkBuilder& net, Value* x) {
    return net.activation(x, Nonlinearity::HardSwish, "act");
  });
}

// Bytes come in and go out, channels last, so that nothing need be converted at the ends.
Graph bytes(bool swap) {
  std::string weights;
  for (int i = 0; i < 4096; ++i) weights += str(i == 0 ? "" : " ", i % 7 - 3);
  const std::string type = "i8[1,28,28,64]<0.05:0>";
  Result<Graph> graph = parse_graph(
      str("graph(%x: ", type, ") -> (%y) {\n  const %w: i8[64,1,1,64]<0.01:0> = {", weights,
          "}\n  %a: ", type, " = conv(%x, %w, _) layout=\"nhwc\"\n",
          swap ? str("  %b: ", type, " = transpose(%a) perm=[0,2,1,3]\n") : "", "  %y: ", type,
          " = conv(", swap ? "%b" : "%a", ", %w, _) layout=\"nhwc\"\n}"));
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return *std::move(graph);
}
Graph swapped_axes() {
  return bytes(true);
}
Graph nothing_between() {
  return bytes(false);
}

Graph function_gone() {
  return stack(64, 28, 1);
}
// Reads bytes, but nobody asks for bytes of it.
Graph function_left() {
  NetworkBuilder net("function", 1);
  Value* x = net.input("x", {1, 16, 28, 28});
  x = net.conv(x, {.channels = 256, .kernel = 3, .bias = true}, "conv");
  Graph graph = quantized(net.finish(net.activation(x, Nonlinearity::Relu, "relu"), "y"));
  Value* y = graph.outputs()[0];
  Node* gate = graph.add_node("sigmoid", {y}, {y->type}, {}, "gate");
  graph.set_output(0, gate->outputs[0]);
  return graph;
}

const std::vector<PlantedFault>& faults() {
  static const std::vector<PlantedFault> kFaults = {
      {"narrow", "npu_low_array_use", narrow_stack, good_stack},
      {"weights", "npu_weights_late", products, good_stack},
      {"spill", "npu_spill", wide_images, good_stack,
       [](NpuSpec& npu) {
         npu.memories[0].read_bytes_per_second = npu.memories[0].write_bytes_per_second = 1e9;
       }},
      {"launch", "npu_launch_bound", tiny_stack, good_stack,
       [](NpuSpec& npu) { npu.queue.start_us = 400; },
       [](NpuSpec& npu) { npu.queue.start_us = 1; }},
      {"fallback", "npu_fallback", large_kernel, large_kernel,
       [](NpuSpec& npu) { npu.limits.max_kernel = 5; }, as_it_is, true},
      {"reformat", "npu_reformat", swapped_axes, nothing_between, as_it_is, as_it_is, true},
      {"table", "npu_table_missed", function_left, function_gone},
      {"proprietary", "npu_proprietary", hard_swish_between, hard_swish_between,
       [](NpuSpec& npu) {
         npu.limits.tables = false;
         npu.operators = {{"acme.HardSwish", "x*min(max(x/6+0.5,0),1)", 1e-3}};
       },
       [](NpuSpec& npu) {
         npu.operators = {{"acme.HardSwish", "x*min(max(x/6+0.5,0),1)", 1e-3}};
       }},
  };
  return kFaults;
}

// A device in a file of its own, for as long as this lives.
struct DeviceFileOf {
  DeviceFileOf(const std::string& name, Change change)
      : path((fs::temp_directory_path() / str("hone_npu_findings_", name, ".toml")).string()) {
    Device device = **find_device("npu");
    device.name = name;
    change(*device.npu());
    std::ofstream(path) << device_text(device);
  }
  ~DeviceFileOf() { fs::remove(path); }
  DeviceFileOf(const DeviceFileOf&) = delete;
  DeviceFileOf& operator=(const DeviceFileOf&) = delete;

  std::string path;
};

Diagnosis diagnose(const std::string& name, Graph graph, Change change) {
  const DeviceFileOf device(name, change);
  Model model;
  model.name = name;
  model.graph = std::move(graph);
  ProfileRequest request;
  request.target = device.path;
  request.inputs = *make_inputs(model.graph, {}, 0);
  Result<Diagnosis> diagnosis = diagnose_model(model, request);
  EXPECT_TRUE(diagnosis.ok()) << diagnosis.error().message;
  return *std::move(diagnosis);
}

std::string rules_of(const Diagnosis& diagnosis) {
  std::string all;
  for (const Finding& finding : diagnosis.findings) {
    all += str(finding.rule, " ", finding.gain.value.value_or(0), " ms: ", finding.title, "\n");
  }
  return all;
}

class NpuFindings : public testing::TestWithParam<PlantedFault> {};

TEST_P(NpuFindings, RightRuleComesFirst) {
  const PlantedFault& fault = GetParam();
  const Diagnosis diagnosis = diagnose(fault.name, fault.flawed(), fault.flawed_npu);
  ASSERT_FALSE(diagnosis.findings.empty());
  const Finding& first = diagnosis.findings[0];
  EXPECT_EQ(first.rule, fault.rule) << rules_of(diagnosis);
  ASSERT_TRUE(first.gain.value.has_value());
  EXPECT_LE(*first.gain.value, median_ms(diagnosis.profile));
  EXPECT_FALSE(first.fix.empty());
  EXPECT_FALSE(first.formula.empty());
  for (const Metric& metric : first.evidence) EXPECT_NE(metric.mode, Mode::Measured) << metric.name;
}

TEST_P(NpuFindings, RuleIsSilentWithoutTheFlaw) {
  const PlantedFault& fault = GetParam();
  const Diagnosis diagnosis = diagnose(fault.name, fault.repaired(), fault.repaired_npu);
  for (const Finding& finding : diagnosis.findings) {
    EXPECT_NE(finding.rule, fault.rule) << rules_of(diagnosis);
  }
}

std::vector<PlantedFault> comparable_faults() {
  std::vector<PlantedFault> result = faults();
  std::erase_if(result, [](const PlantedFault& fault) { return !fault.comparable; });
  return result;
}

class NpuGains : public testing::TestWithParam<PlantedFault> {};

TEST_P(NpuGains, AreNearWhatTheRepairBrings) {
  const PlantedFault& fault = GetParam();
  const Diagnosis before = diagnose(fault.name, fault.flawed(), fault.flawed_npu);
  const Diagnosis after = diagnose(fault.name, fault.repaired(), fault.repaired_npu);
  const double obtained = median_ms(before.profile) - median_ms(after.profile);
  const double promised = before.findings.at(0).gain.value.value_or(0);
  std::cout << fault.name << ": run " << median_ms(before.profile) << " ms, predicted gain "
            << promised << ", obtained " << obtained << " ms\n";
  EXPECT_NEAR(promised, obtained, 0.3 * obtained);
}

INSTANTIATE_TEST_SUITE_P(All, NpuGains, testing::ValuesIn(comparable_faults()),
                         [](const auto& fault) { return fault.param.name; });
INSTANTIATE_TEST_SUITE_P(All, NpuFindings, testing::ValuesIn(faults()),
                         [](const auto& fault) { return fault.param.name; });

// Remedies are judged by the simulation, not by the time it takes here.
TEST(NpuOptimize, TurnsPassesOnAgain) {
  NetworkBuilder net("net", 1);
  Value* x = net.input("x", {1, 16, 28, 28});
  x = net.conv_bn(x, {.channels = 64, .kernel = 3}, Nonlinearity::Relu, "block");
  Model model;
  model.name = "net";
  model.graph = net.finish(net.global_average_pool(x, "mean_of_all"), "y");
  ProfileRequest request;
  request.target = "npu";
  request.compile.disabled_passes = {"fold_batch_norm", "fuse_activation"};
  request.inputs = *make_inputs(model.graph, {}, 0);
  const Result<Optimization> result = optimize_model(model, request, {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  const auto entry = std::ranges::find(result->ledger, "passes_disabled", &LedgerEntry::rule);
  ASSERT_NE(entry, result->ledger.end());
  EXPECT_TRUE(entry->kept) << entry->why;
  EXPECT_NE(entry->why.find("ms simulated"), std::string::npos);
  EXPECT_LT(median_ms(result->after), median_ms(result->before));
}

}  // namespace
}  // namespace hone
