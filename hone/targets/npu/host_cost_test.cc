#include <gtest/gtest.h>

#include "hone/ops/infer_types.h"
#include "hone/targets/analytic/analytic_target.h"
#include "hone/targets/devices.h"
#include "hone/targets/npu/layer_cost.h"
#include "hone/targets/npu/npu_program.h"

namespace hone::npu {
namespace {

constexpr std::string_view kResize =
    "graph(%x: f32[1,65,65,21]) -> (%y) {\n %y: f32[1,513,513,21] = resize(%x, _, _, "
    "i64[4]{1 513 513 21}) mode=\"linear\"\n}";
constexpr std::string_view kConversion =
    "graph(%x: f32[1,224,224,3]) -> (%y) {\n %y: i8[1,224,224,3]<0.1:0> = quantize_linear(%x, "
    "f32[]{0.1}, i8[]{0})\n}";

Graph graph_of(std::string_view text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_TRUE(infer_types(*graph).ok());
  return std::move(*graph);
}

const NpuSpec& edge_tpu() {
  return *(*find_device("edge-tpu-pcie"))->npu();
}

// DeepLab's last layer: published times of the network on the Dev Board are 241 ms, nearly all of
// it on the CPU.
TEST(HostCost, IsThatOfTheHostsDevice) {
  const Graph graph = graph_of(kResize);
  const Node& resize = *graph.nodes().back();
  const AnalyticSpec& host = *(*find_device("cortex-a53-coral"))->analytic();
  const StepInfo step{.node = &resize, .cost = node_cost(resize)};
  const double us = predict_step(host, analytic_work({step}, Precision::F32).front()).us;
  EXPECT_DOUBLE_EQ(host_us(edge_tpu(), resize), us);
  EXPECT_GT(us, 100e3);
  EXPECT_LT(us, 300e3);
}

TEST(HostCost, OfConversionsIsThatOfItsRates) {
  const Graph graph = graph_of(kConversion);
  const Node& quantize = *graph.nodes().back();
  NpuSpec without = edge_tpu();
  without.host.device.clear();
  EXPECT_DOUBLE_EQ(host_us(edge_tpu(), quantize), host_us(without, quantize));
  EXPECT_LT(host_us(edge_tpu(), quantize), 1e3);
}

TEST(HostCost, NeedsAProcessorOfTheCatalog) {
  Device device = **find_device("edge-tpu-pcie");
  device.npu()->host.device = "ethos-u55-32";
  const auto npu = make_npu_plan(graph_of(kResize), device, {});
  ASSERT_FALSE(npu.ok());
  EXPECT_EQ(npu.error().message,
            "edge-tpu-pcie: host.device: ethos-u55-32 is of kind npu, expected a processor");
  device.npu()->host.device = "no-such-device";
  EXPECT_FALSE(make_npu_plan(graph_of(kResize), device, {}).ok());
}

}  // namespace
}  // namespace hone::npu
