// Real models, which are not part of the project: skipped where they are not at hand.

#include <gtest/gtest.h>

#include <cstdlib>

#include "hone/wire/tflite.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct Facts {
  const char* file;
  size_t ops;
  const char* input;
  const char* input_type;
  const char* output;
  const char* first_op;
};

constexpr Facts kModels[] = {
    {"coral/mobilenet_v1_025_128_uint8.tflite", 31, "input", "u8[1,128,128,3]",
     "MobilenetV1/Predictions/Reshape_1", "CONV_2D"},
    {"coral/mobilenet_v2_ptq_int8.tflite", 68, "input", "u8[1,224,224,3]", "Identity", "QUANTIZE"},
    {"coral/mobilenet_v2_uint8.tflite", 66, "input", "u8[1,224,224,3]",
     "MobilenetV2/Predictions/Softmax", "CONV_2D"},
    {"mlperf_tiny/ad_fp32.tflite", 10, "input_1", "f32[?,640]", "Identity", "FULLY_CONNECTED"},
    {"mlperf_tiny/ad_int8.tflite", 10, "input_1", "i8[?,640]", "Identity", "FULLY_CONNECTED"},
    {"mlperf_tiny/ic_fp32.tflite", 16, "input_1", "f32[?,32,32,3]", "Identity", "CONV_2D"},
    {"mlperf_tiny/ic_int8.tflite", 16, "input_1_int8", "i8[?,32,32,3]", "Identity_int8", "CONV_2D"},
    {"mlperf_tiny/kws_fp32.tflite", 13, "input_1", "f32[?,49,10,1]", "Identity", "CONV_2D"},
    {"mlperf_tiny/kws_int8.tflite", 13, "input_1", "i8[?,49,10,1]", "Identity", "CONV_2D"},
    {"mlperf_tiny/vww_fp32.tflite", 31, "input_1", "f32[?,96,96,3]", "Identity", "CONV_2D"},
    {"mlperf_tiny/vww_int8.tflite", 31, "input_1_int8", "i8[?,96,96,3]", "Identity_int8",
     "CONV_2D"},
    {"selfie_segmentation_fp16w.tflite", 246, "input_1", "f32[1,256,256,3]", "activation_10",
     "DEQUANTIZE"},
};

fs::path model_folder() {
  const char* source = std::getenv("HONE_SOURCE_DIR");
  return source == nullptr ? fs::path() : fs::path(source) / "../shared/models";
}

class TfliteModels : public testing::TestWithParam<Facts> {};

TEST_P(TfliteModels, AreReadWhole) {
  const Facts& facts = GetParam();
  const fs::path path = model_folder() / facts.file;
  if (!fs::exists(path)) GTEST_SKIP() << "no " << path << "; HONE_SOURCE_DIR/../shared/models";
  const Result<TfliteModel> model = read_tflite(path);
  ASSERT_TRUE(model.ok()) << model.error().message;
  ASSERT_EQ(model->subgraphs.size(), 1u);
  const TfliteSubgraph& main = model->subgraphs[0];
  EXPECT_EQ(main.ops.size(), facts.ops);
  EXPECT_EQ(main.ops.front().name, facts.first_op);
  const TfliteTensor& input = main.tensors[static_cast<size_t>(main.inputs.at(0))];
  EXPECT_EQ(input.name, facts.input);
  EXPECT_EQ(text_of(input.type), facts.input_type);
  EXPECT_EQ(main.tensors[static_cast<size_t>(main.outputs.at(0))].name, facts.output);
}

INSTANTIATE_TEST_SUITE_P(Shared, TfliteModels, testing::ValuesIn(kModels), [](const auto& model) {
  return fs::path(model.param.file).stem().string();
});

TEST(TfliteModelFolder, HoldsNothingThatCannotBeRead) {
  const fs::path folder = model_folder();
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no folder HONE_SOURCE_DIR/../shared/models";
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".tflite") continue;
    const Result<TfliteModel> model = read_tflite(entry.path());
    EXPECT_TRUE(model.ok()) << model.error().message;
  }
}

}  // namespace
}  // namespace hone
