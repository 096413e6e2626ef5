#include "hone/targets/npu/placement.h"

#include <gtest/gtest.h>

#include "hone/ops/infer_types.h"
#include "hone/targets/devices.h"
#include "hone/targets/npu/partition.h"

namespace hone::npu {
namespace {

Device device() {
  Device npu = **find_device("npu");
  auto& limits = npu.npu()->limits;
  limits.types = {"int8"};
  limits.max_kernel = 3;
  limits.max_stride = 2;
  limits.max_dilation = 1;
  limits.max_pool_window = 4;
  limits.channel_alignment = 2;
  limits.per_channel = false;
  return npu;
}

struct Case {
  const char* name;
  const char* text;  // Of one node, the last.
  const char* reason;
  const char* change;
  HintKind hint = HintKind::None;
};

class Rules : public testing::TestWithParam<Case> {};

TEST_P(Rules, TellWhatTheySawAndWhatWouldPass) {
  auto graph = parse_graph(GetParam().text);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_TRUE(infer_types(*graph).ok());
  const auto refusal = refuse(*graph->nodes().back(), device());
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->reason, GetParam().reason);
  EXPECT_EQ(refusal->change, GetParam().change);
  EXPECT_EQ(refusal->hint.kind, GetParam().hint);
}

constexpr Case kCases[] = {
    {"operator", "graph(%x: i8[1,2]<0.1:0>) -> (%y) {\n %y: i8[2,1]<0.1:0> = transpose(%x)\n}",
     "no engine of the NPU has a command for operator transpose",
     "give the model nhwc inputs, so that nothing needs turning"},
    {"type", "graph(%x: f32[1,2]) -> (%y) {\n %y: f32[1,2] = relu(%x)\n}",
     "'x' is f32; the NPU computes on int8", "quantize the model for it", HintKind::QuantizedModel},
    {"unsigned", "graph(%x: u8[1,2]<0.1:0>) -> (%y) {\n %y: u8[1,2]<0.1:0> = add(%x, %x)\n}",
     "'x' is u8; the NPU computes on int8", "quantize the model for it", HintKind::QuantizedModel},
    {"kernel",
     "graph(%x: i8[1,4,4,1]<0.1:0>) -> (%y) {\n %y: i8[1,1,1,2]<0.1:0> = conv(%x, "
     "i8[2,4,4,1]<0.1:0>{1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 2 3 4 5 6 7 8 9 10 11 12 13 14 "
     "15 16}) layout=\"nhwc\"\n}",
     "a kernel of 4 is more than 3, the most the NPU takes",
     "a stack of kernels of at most 3 that sees as far"},
    {"stride",
     "graph(%x: i8[1,7,7,1]<0.1:0>) -> (%y) {\n %y: i8[1,3,3,2]<0.1:0> = conv(%x, "
     "i8[2,1,1,1]<0.1:0>{1 2}) layout=\"nhwc\" strides=[3,3]\n}",
     "a stride of 3 is more than 2, the most the NPU takes", "a stride of 2, then a pool"},
    {"dilation",
     "graph(%x: i8[1,5,1,1]<0.1:0>) -> (%y) {\n %y: i8[1,3,1,2]<0.1:0> = conv(%x, "
     "i8[2,2,1,1]<0.1:0>{1 2 3 4}) layout=\"nhwc\" dilations=[2,1]\n}",
     "a dilation of 2 is more than 1, the most the NPU takes", "a larger kernel without dilation"},
    {"pool",
     "graph(%x: i8[1,5,5,2]<0.1:0>) -> (%y) {\n %y: i8[1,1,1,2]<0.1:0> = max_pool(%x) "
     "kernel_shape=[5,5] layout=\"nhwc\"\n}",
     "a pool's window of 5 is more than 4, the most the NPU takes",
     "two pools one after the other, or a mean over the whole image"},
    {"padding",
     "graph(%x: i8[1,4,4,2]<0.1:0>) -> (%y) {\n %y: i8[1,5,5,2]<0.1:0> = average_pool(%x) "
     "kernel_shape=[2,2] pads=[1,1,1,1] count_include_pad=1 layout=\"nhwc\"\n}",
     "its means count the padding; the engines average what lies in the image",
     "count_include_pad=0, or a convolution with equal weights"},
    {"alignment",
     "graph(%x: i8[1,1,1,1]<0.1:0>) -> (%y) {\n %y: i8[1,1,1,3]<0.1:0> = conv(%x, "
     "i8[3,1,1,1]<0.1:0>{1 2 3}) layout=\"nhwc\"\n}",
     "3 output channels; the NPU takes multiples of 2", "pad them with zeros to 4"},
    {"batch",
     "graph(%x: i8[2,1,1,1]<0.1:0>) -> (%y) {\n %y: i8[2,1,1,2]<0.1:0> = conv(%x, "
     "i8[2,1,1,1]<0.1:0>{1 2}) layout=\"nhwc\"\n}",
     "a batch of 2 images; the NPU takes one at a time", "run with a batch of 1",
     HintKind::Extents},
};
INSTANTIATE_TEST_SUITE_P(All, Rules, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(PlacementRules, DepthwiseConvolutionsAreListedApart) {
  const auto graph = parse_graph(
      "graph(%x: i8[1,3,3,2]<0.1:0>) -> (%y) {\n %y: i8[1,3,3,2]<0.1:0> = conv(%x, "
      "i8[2,1,1,1]<0.1:0>{1 2}) layout=\"nhwc\" group=2\n}");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  Device npu = device();
  EXPECT_FALSE(refuse(*graph->nodes()[0], npu));
  npu.npu()->limits.ops = {"conv"};
  const auto refusal = refuse(*graph->nodes()[0], npu);
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->reason, "operator depthwise_conv is not among those that npu runs");
}

// Where the host is in the way, the cheaper side is taken, boundaries included.
TEST(Partition, MovesAcrossOnlyWhereItPays) {
  const char* text = R"(graph(%x: i8[1,8,8,4]<0.1:0>) -> (%y) {
    %a: i8[1,8,8,4]<0.1:0> = add(%x, %x)
    %t: i8[1,4,8,8]<0.1:0> = transpose(%a) perm=[0,3,1,2]
    %y: i8[1,4,8,8]<0.1:0> = add(%t, %t)
  })";
  const auto graph = parse_graph(text);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  Device slow = **find_device("npu");
  const Partition host = partition(*graph, slow, {});
  // Two sums of 256 elements are not worth waking anybody for.
  EXPECT_TRUE(host.npu_nodes.empty());
  EXPECT_FALSE(host.placements[0].on_target);
  EXPECT_NE(host.placements[0].reason.find("it could run on the NPU"), std::string::npos);
  const Partition all = partition(*graph, slow, {.all_that_runs = true});
  EXPECT_EQ(all.npu_nodes.size(), 2u);
  EXPECT_FALSE(all.placements[1].on_target);
  EXPECT_EQ(all.placements[1].boundary_bytes, 512u);
  EXPECT_GT(all.placements[1].boundary_us, slow.npu()->host.dispatch_us);
}

}  // namespace
}  // namespace hone::npu
