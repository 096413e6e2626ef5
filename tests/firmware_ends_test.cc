// What a network takes and gives at its ends, of which firmware takes and gives integers alone.

#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/peek_file.h"
#include "hone/targets/target.h"
#include "hone/workbench/workbench.h"
#include "tests/firmware_testing.h"

namespace hone {
namespace {

// As hone quantize leaves them: floats at the ends, and a softmax of them.
TEST(FirmwareEnds, AreIntegers) {
  SKIP_WITHOUT_COMPILER();
  auto model = open_model("zoo:ds_cnn_kws:int8", {});
  ASSERT_TRUE(model.ok()) << model.error().message;
  const fs::path folder = fresh_folder();
  const Status written = write_firmware(model->graph, Rounding::Double, folder);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(selftest_here(folder), "");
}

// As quantizers leave an older softmax, which flattens: what it gives is rounded, and so is its view.
TEST(FirmwareEnds, AreWhatARoundedSoftmaxReads) {
  SKIP_WITHOUT_COMPILER();
  auto model = open_model("zoo:ds_cnn_kws:int8", {});
  ASSERT_TRUE(model.ok()) << model.error().message;
  Graph& graph = model->graph;
  const Shape shape = {1, 12};
  Value* scale = graph.add_constant("scale", Tensor::of<float>({}, {1.0F / 255}));
  Value* zero = graph.add_constant("zero", Tensor::of<int8_t>({}, {-128}));
  const auto rounded = [&](Value* value, const std::string& name) {
    Value* bytes = graph
                       .add_node("quantize_linear", {value, scale, zero},
                                 {ValueType(DType::I8, shape)}, {}, name + ".q")
                       ->outputs[0];
    return graph
        .add_node("dequantize_linear", {bytes, scale, zero}, {ValueType(DType::F32, shape)}, {},
                  name + ".dq")
        ->outputs[0];
  };
  Value* extents = graph.add_constant("extents", Tensor::of<int64_t>({2}, {1, 12}));
  Value* y = rounded(graph.outputs()[0], "probabilities");
  y = graph.add_node("reshape", {y, extents}, {ValueType(DType::F32, shape)}, {}, "flat")
          ->outputs[0];
  graph.set_output(0, rounded(y, "flat_probabilities"));
  const fs::path folder = fresh_folder();
  const Status written = write_firmware(graph, Rounding::Double, folder);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(selftest_here(folder), "");
}

// As images of channels first leave a network that computes with channels last.
TEST(FirmwareEnds, AreMovedAsIntegers) {
  SKIP_WITHOUT_COMPILER();
  auto graph = parse_graph(R"(graph(%x: i8[1,2,8,8]) -> (%y) {
    %f: f32[1,2,8,8] = dequantize_linear(%x, f32[]{0.1}, i8[]{3})
    %p: f32[1,2,4,4] = max_pool(%f) kernel_shape=[2,2] strides=[2,2]
    %q: i8[1,2,4,4] = quantize_linear(%p, f32[]{0.1}, i8[]{3})
    %d: f32[1,2,4,4] = dequantize_linear(%q, f32[]{0.1}, i8[]{3})
    %i: f32[1,2,4,4] = identity(%d)
    %y: f32[1,4,2,4] = transpose(%i) perm=[0,2,1,3]
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(strictly_tested(*graph), "");
}

// As converters leave networks of int8 whose images are to stay bytes without a sign.
TEST(FirmwareEnds, OfUnsignedBytesAreTheCallers) {
  SKIP_WITHOUT_COMPILER();
  auto graph = parse_graph(R"(graph(%x: u8[1,8,8,2]<0.1:131>) -> (%y) {
    %i: i8[1,8,8,2]<0.1:3> = requantize(%x)
    %p: i8[1,4,4,2]<0.1:3> = max_pool(%i) kernel_shape=[2,2] strides=[2,2] layout="nhwc"
    %y: u8[1,4,4,2]<0.1:131> = requantize(%p)
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const fs::path folder = fresh_folder();
  const Status written = write_firmware(*graph, Rounding::Double, folder);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(strict_selftest(folder), "");
  const auto header = read_text(folder / "hone_network.h");
  ASSERT_TRUE(header.ok());
  for (const char* note : {"input 'x' is uint8 in the file, here int8: give 128 less",
                           "output 'y' is uint8 in the file, here int8: add 128"}) {
    EXPECT_NE(header->find(note), header->npos) << note;
  }
}

// Of another scale they would be computed with, not only given another sign.
TEST(FirmwareEnds, OfUnsignedBytesOfAnotherScaleAreRefused) {
  auto graph = parse_graph(R"(graph(%x: u8[1,8,8,2]<0.2:131>) -> (%p) {
    %i: i8[1,8,8,2]<0.1:3> = requantize(%x)
    %p: i8[1,4,4,2]<0.1:3> = max_pool(%i) kernel_shape=[2,2] strides=[2,2] layout="nhwc"
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const Status written = write_firmware(*graph, Rounding::Double, fresh_folder());
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("'x' is u8"), std::string::npos)
      << written.error().message;
}

}  // namespace
}  // namespace hone
