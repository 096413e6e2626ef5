// Whole models against the outputs of reference engines: integers bit for bit, floats within the
// tolerance that the golden files' README states.

#include <gtest/gtest.h>

#include "hone/tensor/compare.h"
#include "hone/wire/npy.h"
#include "hone/workbench/workbench.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

struct Golden {
  std::string name;   // Of the test.
  std::string model;  // Below shared/models.
  std::string input;  // Below shared/golden.
  std::string output;
  EvalOptions options = {};
  double relative = 1e-4;  // To the largest magnitude of the tensor.
  double absolute = 0;
};

const Golden kGoldens[] = {
    {.name = "kws_int8",
     .model = "mlperf_tiny/kws_int8.tflite",
     .input = "kws_int8.in.npy",
     .output = "kws_int8.out.npy"},
    {.name = "kws_int8_single_rounding",
     .model = "mlperf_tiny/kws_int8.tflite",
     .input = "kws_int8.in.npy",
     .output = "kws_int8.single.out.npy",
     .options = {.rounding = Rounding::Single}},
    {.name = "kws_fp32_hybrid",
     .model = "mlperf_tiny/kws_fp32.tflite",
     .input = "kws_fp32.in.npy",
     .output = "kws_fp32.out.npy",
     .relative = 0,
     .absolute = 1e-3},
    {.name = "kws_fp32_expanded_weights",
     .model = "mlperf_tiny/kws_fp32.tflite",
     .input = "kws_fp32.in.npy",
     .output = "kws_fp32.dequantized_weights.out.npy",
     .options = {.expand_hybrid_weights = true}},
    {.name = "mobilenet_v1_uint8",
     .model = "coral/mobilenet_v1_025_128_uint8.tflite",
     .input = "mobilenet_v1_025_128_uint8_image.in.npy",
     .output = "mobilenet_v1_025_128_uint8_image.out.npy"},
    {.name = "mobilenet_v2_int8",
     .model = "coral/mobilenet_v2_ptq_int8.tflite",
     .input = "mobilenet_v2_ptq_int8_image.in.npy",
     .output = "mobilenet_v2_ptq_int8_image.out.npy"},
    {.name = "selfie_segmentation",
     .model = "selfie_segmentation_fp16w.tflite",
     .input = "selfie_segmentation_fp16w_image.in.npy",
     .output = "selfie_segmentation_fp16w_image.out.npy"},
    {.name = "ppocr_classifier",
     .model = "onnx/ppocr_cls.onnx",
     .input = "ppocr_cls_image.in.npy",
     .output = "ppocr_cls_image.out.npy"},
    {.name = "ppocr_detector",
     .model = "onnx/ppocr_v4_det.onnx",
     .input = "ppocr_v4_det_image.in.npy",
     .output = "ppocr_v4_det_image.out.npy"},
};

class GoldenTest : public testing::TestWithParam<Golden> {};

TEST_P(GoldenTest, OutputsAgreeWithTheReferenceEngine) {
  const Golden& golden = GetParam();
  HONE_SKIP_WITHOUT(shared_dir());
  const auto model = open_model((shared_dir() / "models" / golden.model).string());
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto samples = read_npy(shared_dir() / "golden" / golden.input);
  ASSERT_TRUE(samples.ok()) << samples.error().message;
  const auto expected = read_npy(shared_dir() / "golden" / golden.output);
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  const auto data = data_set_of(*samples, model->graph);
  ASSERT_TRUE(data.ok()) << data.error().message;
  for (const char* target : {"ref", "cpu"}) {
    const auto program =
        (*find_target(target))
            ->open()
            ->compile(std::move(*model->graph.clone()), {.eval = golden.options, .threads = 1});
    ASSERT_TRUE(program.ok()) << program.error().message;
    const auto outputs = predict(**program, model->graph, *data, 0);
    ASSERT_TRUE(outputs.ok()) << outputs.error().message;

    const auto actual = stacked(*outputs, 0);
    ASSERT_TRUE(actual.ok()) << actual.error().message;
    ASSERT_EQ(actual->elements(), expected->elements()) << text_of(actual->type());
    const Difference difference = compare(actual->reshaped(expected->shape()), *expected);
    if (kInteger.contains(expected->dtype())) {
      EXPECT_TRUE(difference.equal()) << target << ": " << difference.what;
    } else {
      EXPECT_TRUE(difference.comparable) << target << ": " << difference.what;
      EXPECT_LE(difference.max_abs, golden.absolute + golden.relative * difference.max_magnitude)
          << target;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenTest, testing::ValuesIn(kGoldens),
                         [](const auto& test) { return test.param.name; });

TEST(Accuracy, OfKeywordSpottingIsThatOfTheReferenceEngine) {
  HONE_SKIP_WITHOUT(shared_dir());
  const auto model = open_model((shared_dir() / "models/mlperf_tiny/kws_int8.tflite").string());
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto data = read_data_set(shared_dir() / "data/kws", model->graph);
  ASSERT_TRUE(data.ok()) << data.error().message;
  const auto program =
      (*find_target("cpu"))->open()->compile(std::move(*model->graph.clone()), {.threads = 1});
  ASSERT_TRUE(program.ok()) << program.error().message;
  const auto outputs = predict(**program, model->graph, *data, 0);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  const auto metric = evaluate("top1", *outputs, *data, model->graph);
  ASSERT_TRUE(metric.ok()) << metric.error().message;
  EXPECT_DOUBLE_EQ(*metric->value, 0.901);
}

}  // namespace
}  // namespace hone
