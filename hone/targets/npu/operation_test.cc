#include "hone/targets/npu/operation.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "hone/ops/op_def.h"
#include "hone/targets/devices.h"
#include "hone/targets/npu/npu_target.h"
#include "hone/targets/npu/placement.h"

namespace hone::npu {
namespace {

TEST(Operations, ServeOperatorsThereAreOnceEach) {
  std::set<std::string_view> seen;
  for (const OperationDef* operation : operations()) {
    EXPECT_FALSE(operation->ops.empty());
    EXPECT_NE(operation->layer == nullptr, operation->takes == nullptr) << operation->ops[0];
    EXPECT_EQ(operation->forms.empty(), operation->form == nullptr) << operation->ops[0];
    for (const std::string_view op : operation->ops) {
      ASSERT_NE(find_op(op), nullptr) << op;
      EXPECT_TRUE(find_op(op)->quantized) << op << " has no integer form";
      EXPECT_TRUE(seen.insert(op).second) << op << " is served twice";
      EXPECT_EQ(find_operation(op), operation);
    }
  }
  EXPECT_EQ(find_operation("transpose"), nullptr);
}

std::string zeros(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += i == 0 ? "0" : " 0";
  return text;
}

// A form of every operator that the engines run.
const std::map<std::string_view, std::string> kForms = {
    {"conv",
     "conv(%x, i8[4,1,1,4]<0.1:0>{1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16}) layout=\"nhwc\""},
    {"depthwise_conv", "conv(%x, i8[4,1,1,1]<0.1:0>{1 2 3 4}) group=4 layout=\"nhwc\""},
    {"gemm", "gemm(%m, i8[4,4]<0.1:0>{1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16}, _) transB=1"},
    {"add", "add(%x, %x)"},
    {"sub", "sub(%x, %x)"},
    {"mul", "mul(%x, %x)"},
    {"max_pool", "max_pool(%x) kernel_shape=[1,1] layout=\"nhwc\""},
    {"average_pool", "average_pool(%x) kernel_shape=[1,1] layout=\"nhwc\""},
    {"reduce_mean", "reduce_mean(%x, i64[2]{1 2}) keepdims=1"},
    {"softmax", "softmax(%x) axis=3"},
    {"resize", "resize(%x, _, f32[4]{1 2 2 1}) mode=\"nearest\""},
    {"concat", "concat(%x, %x) axis=3"},
    {"lookup", str("lookup(%x, i8[256]{", zeros(256), "})")},
    {"requantize", "requantize(%x)"},
    {"sigmoid", "sigmoid(%x)"},
    {"tanh", "tanh(%x)"},
    {"hard_swish", "hard_swish(%x)"},
    {"leaky_relu", "leaky_relu(%x)"},
    {"elu", "elu(%x)"},
    {"gelu", "gelu(%x)"},
};

const char* output_type(std::string_view name) {
  if (name == "gemm") return "i8[2,4]<0.1:0>";
  if (name == "reduce_mean") return "i8[1,1,1,4]<0.1:0>";
  if (name == "resize") return "i8[1,4,4,4]<0.1:0>";
  if (name == "concat") return "i8[1,2,2,8]<0.1:0>";
  if (name == "tanh") return "i8[1,2,2,4]<0.0078125:0>";
  if (name == "softmax" || name == "sigmoid") return "i8[1,2,2,4]<0.00390625:-128>";
  return "i8[1,2,2,4]<0.1:0>";
}

// What a device file can name is what the engines run, and the other way round.
TEST(Operations, RunWhatDeviceFilesName) {
  const Device device = **find_device("npu");
  for (const std::string_view name : limit_names()) {
    const auto form = kForms.find(name);
    ASSERT_NE(form, kForms.end()) << "add a form of " << name << " that the engines run";
    const auto graph = parse_graph(
        str("graph(%x: i8[1,2,2,4]<0.1:0>, %m: i8[2,4]<0.1:0>) -> (%y) {\n %y: ", output_type(name),
            " = ", form->second, "\n}"));
    ASSERT_TRUE(graph.ok()) << name << ": " << graph.error().message;
    const auto refusal = refuse(*graph->nodes().back(), device);
    EXPECT_FALSE(refusal) << name << ": " << refusal->reason;

    Device only = device;
    only.npu()->limits.ops = {std::string(name)};
    EXPECT_FALSE(refuse(*graph->nodes().back(), only)) << name;
    const auto back = parse_device(device_text(only), "only.toml");
    EXPECT_TRUE(back.ok()) << back.error().message;
  }
  EXPECT_EQ(kForms.size(), limit_names().size());
}

TEST(Operations, ArePricedByTheirVectorOperationOrTheirTable) {
  const std::vector<std::string_view>& names = cost_names();
  const auto has = [&](std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (const sim::VectorOpDef* op : sim::vector_ops()) EXPECT_TRUE(has(op->name)) << op->name;
  EXPECT_TRUE(has("depthwise"));
  EXPECT_TRUE(has("leaky_relu"));
  EXPECT_FALSE(has("conv"));
}

// What models are quantized for an NPU by, before passes bring it into the engines' words.
TEST(Operations, TakeIntegersOfOperatorsThereAre) {
  for (const std::string_view op : npu_integers(*(*find_device("npu"))->npu())->ops) {
    EXPECT_NE(find_op(op), nullptr) << op;
  }
}

// Asking whether a node can run copies no weights: the layer points at the node's.
TEST(Operations, LeaveWeightsWhereTheyAre) {
  const auto graph = parse_graph(
      "graph(%x: i8[1,2]<0.1:0>) -> (%y) {\n %y: i8[1,2]<0.1:0> = gemm(%x, "
      "i8[2,2]<0.1:0>{1 2 3 4}, i32[2]{7 9}) transB=1\n}");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const Node& node = *graph->nodes()[0];
  const auto layer = make_layer(node, {});
  ASSERT_TRUE(layer);
  EXPECT_EQ(layer->weights.stored, &*node.inputs[1]->constant);
  const std::vector<std::byte> block = weight_block(*layer, 1, 2);
  ASSERT_EQ(std::ssize(block), sim::weight_block_bytes(1, 2));
  EXPECT_EQ(block[0], std::byte{3});
  EXPECT_EQ(block[1], std::byte{4});
  EXPECT_EQ(block[4], std::byte{9});
}

}  // namespace
}  // namespace hone::npu
