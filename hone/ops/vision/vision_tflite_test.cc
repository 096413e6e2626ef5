#include "hone/ops/quant/quant_testing.h"

namespace hone {
namespace {

// Three boxes: the second covers half of the first, the third lies apart.
TfliteCase three_boxes(const char* op) {
  return {.op = op,
          .inputs = {Tensor::of<float>({3, 4}, {0, 0, 2, 2, 0, 0, 2, 1, 5, 5, 6, 6}),
                     vector_of<float>({0.8f, 0.9f, 0.3f}), Tensor::scalar(int32_t{3}),
                     Tensor::scalar(0.5f), Tensor::scalar(0.1f)},
          .outputs = {{DType::I32, {3}}, {DType::I32, {}}}};
}

TEST(VisionTflite, SuppressesFromTheThresholdOn) {
  const auto kept = run_case(three_boxes("NON_MAX_SUPPRESSION_V4"));
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  expect_tensor<int32_t>((*kept)[0].tensor, {3}, {1, 2, 0});
  expect_tensor<int32_t>((*kept)[1].tensor, {}, {2});
}

TEST(VisionTflite, LowersScoresByOverlap) {
  TfliteCase test = three_boxes("NON_MAX_SUPPRESSION_V5");
  test.inputs[3] = Tensor::scalar(0.6f);
  test.inputs.push_back(Tensor::scalar(0.25f));
  test.outputs = {{DType::I32, {3}}, {DType::F32, {3}}, {DType::I32, {}}};
  const auto kept = run_case(test);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  expect_tensor<int32_t>((*kept)[0].tensor, {3}, {1, 0, 2});
  // 0.8 * exp(-0.5 / 0.25 * 0.5^2).
  const float lowered = 0.8f * std::exp(-0.5f);
  expect_tensor<float>((*kept)[1].tensor, {3}, {0.9f, lowered, 0.3f});
  expect_tensor<int32_t>((*kept)[2].tensor, {}, {3});
}

// Two anchors that the encodings leave in place, and a third that lies on the first; two classes
// behind a background.
Result<std::vector<Item>> detect(int64_t regular) {
  Graph graph;
  const std::vector<Tensor> inputs{
      Tensor::of<float>({1, 3, 4}, std::vector<float>(12)),
      Tensor::of<float>({1, 3, 3}, {0, 0.7f, 0.2f, 0, 0.1f, 0.6f, 0, 0.65f, 0.5f}),
      Tensor::of<float>({3, 4}, {1, 1, 2, 2, 5, 5, 2, 4, 1, 1, 2, 2})};
  std::vector<Value*> values;
  for (const Tensor& tensor : inputs) values.push_back(graph.add_input("x", tensor.type()));
  Node* node = graph.add_node("detection_postprocess", values, std::vector<ValueType>(4),
                              {{"max_detections", int64_t{4}},
                               {"num_classes", int64_t{2}},
                               {"regular", regular},
                               {"score_threshold", 0.3},
                               {"iou_threshold", 0.5},
                               {"scales", Floats{10, 10, 5, 5}}});
  for (Value* output : node->outputs) graph.add_output(output);
  HONE_RETURN_IF_ERROR(infer_types(graph));
  return run_graph(graph, as_items(inputs));
}

TEST(VisionTflite, DetectsByTheBestClassOfEveryBox) {
  const auto found = detect(0);
  ASSERT_TRUE(found.ok()) << found.error().message;
  expect_tensor<float>((*found)[0].tensor, {1, 4, 4},
                       {0, 0, 2, 2, 4, 3, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0});
  expect_tensor<float>((*found)[1].tensor, {1, 4}, {0, 1, 0, 0});
  expect_tensor<float>((*found)[2].tensor, {1, 4}, {0.7f, 0.6f, 0, 0});
  expect_tensor<float>((*found)[3].tensor, {1}, {2});
}

// The third box is hidden in the first class only.
TEST(VisionTflite, DetectsClassByClass) {
  const auto found = detect(1);
  ASSERT_TRUE(found.ok()) << found.error().message;
  expect_tensor<float>((*found)[1].tensor, {1, 4}, {0, 1, 1, 0});
  expect_tensor<float>((*found)[2].tensor, {1, 4}, {0.7f, 0.6f, 0.5f, 0});
  expect_tensor<float>((*found)[3].tensor, {1}, {3});
}

TEST(VisionTflite, RefusesDetectionsWithoutOptions) {
  const Tensor x = Tensor::of<float>({1, 1, 4}, {0, 0, 0, 0});
  const TensorType y{DType::F32, {1}};
  expect_bad_input(import_case({.op = "TFLite_Detection_PostProcess",
                                .inputs = {x, x, Tensor::of<float>({1, 4}, {1, 1, 1, 1})},
                                .outputs = {y, y, y, y}}));
}

// A column of 0 and 10 seen at -0.25, 0.25, 0.75 and 1.25: 0, 2.5, 7.5 and 10.
TEST(ResizeQuantized, RoundsWhatItInterpolatesFromBytes) {
  const auto how = quant(0.5f, 1);
  const Tensor x = quantized<uint8_t>({1, 1, 2, 1}, {0, 10}, how);
  expect_tensor<uint8_t>(run_tflite({.op = "RESIZE_BILINEAR",
                                     .inputs = {x, vector_of<int32_t>({1, 4})},
                                     .outputs = {{DType::U8, {1, 1, 4, 1}, how}},
                                     .options = {{"half_pixel_centers", true}}}),
                         {1, 1, 4, 1}, {0, 3, 8, 10});
}

}  // namespace
}  // namespace hone
