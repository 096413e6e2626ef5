#include "hone/wire/tflite.h"

#include <gtest/gtest.h>

#include "hone/wire/tflite_testing.h"

namespace hone {
namespace {

// The options of an operator that carries `options`.
template <class Table>
std::map<std::string, TfliteOption> options_of(tfl::BuiltinOperator builtin, const Table& options) {
  tfl::ModelT model = small_model();
  add_op(model, builtin, {0}, {4}).builtin_options.Set(Table(options));
  Result<TfliteModel> result = read_packed(model);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result->subgraphs[0].ops[2].options;
}

TEST(Tflite, KeepsNamesIndicesAndMetadata) {
  const Result<TfliteModel> model = read_packed(small_model());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->version, 3u);
  EXPECT_EQ(model->description, "small");
  EXPECT_EQ(model->metadata.at("min_runtime_version"), "2.1");
  ASSERT_EQ(model->subgraphs.size(), 1u);
  const TfliteSubgraph& main = model->subgraphs[0];
  EXPECT_EQ(main.name, "main");
  EXPECT_EQ(main.inputs, std::vector<int>{0});
  EXPECT_EQ(main.outputs, std::vector<int>{4});
  ASSERT_EQ(main.tensors.size(), 5u);
  EXPECT_EQ(main.tensors[1].name, "w");
  ASSERT_EQ(main.ops.size(), 2u);
  EXPECT_EQ(main.ops[0].inputs, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(main.ops[0].version, 4);
}

TEST(Tflite, TakesUnknownExtentsFromTheShapeSignature) {
  const Result<TfliteModel> model = read_packed(small_model());
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->subgraphs[0].tensors[0].type.shape, (Shape{kUnknown, 4}));
  EXPECT_EQ(model->subgraphs[0].tensors[3].type.shape, (Shape{1, 4}));
}

TEST(Tflite, DecodesQuantizationPerTensorAndPerChannel) {
  const Result<TfliteModel> model = read_packed(small_model());
  ASSERT_TRUE(model.ok());
  const std::vector<TfliteTensor>& tensors = model->subgraphs[0].tensors;
  EXPECT_EQ(*tensors[0].type.quant, (Quantization{{0.5f}, {3}, Quantization::kPerTensor}));
  EXPECT_EQ(*tensors[1].type.quant, (Quantization{{1, 2, 3, 4}, {0, 0, 0, 0}, 0}));
  EXPECT_EQ(*tensors[2].type.quant, (Quantization{{1, 2, 3, 4}, {0, 0, 0, 0}, 0}));
  EXPECT_EQ(tensors[4].type.quant, nullptr);
}

TEST(Tflite, SpreadsOneZeroPointOverAllScales) {
  tfl::ModelT model = small_model();
  tensor_at(model, 1).quantization->zero_point = {5};
  const Result<TfliteModel> result = read_packed(model);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->subgraphs[0].tensors[1].type.quant->zero_points,
            (std::vector<int32_t>{5, 5, 5, 5}));
}

TEST(Tflite, BiasesMayNameTheAxisOfTheWeights) {
  tfl::ModelT model = small_model();
  quantize(tensor_at(model, 2), {1, 2, 3, 4}, {}, 3);
  const Result<TfliteModel> result = read_packed(model);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->subgraphs[0].tensors[2].type.quant->axis, 0);
}

TEST(Tflite, TakesTrainingRangesZeroScalesAndFloatsForPlainNumbers) {
  tfl::ModelT model = small_model();
  quantize(tensor_at(model, 0), {}, {});
  tensor_at(model, 0).quantization->min = {-1};
  tensor_at(model, 0).quantization->max = {1};
  quantize(tensor_at(model, 3), {0}, {0});
  quantize(tensor_at(model, 4), {0.5f}, {0});
  const Result<TfliteModel> result = read_packed(model);
  ASSERT_TRUE(result.ok());
  for (const size_t i : {0u, 3u, 4u}) {
    EXPECT_EQ(result->subgraphs[0].tensors[i].type.quant, nullptr) << i;
  }
}

TEST(Tflite, ConstantsAreViewsOfTheFile) {
  const SharedBytes file = shared(packed(small_model()));
  const Result<TfliteModel> model = read_tflite_bytes(file);
  ASSERT_TRUE(model.ok());
  const std::vector<TfliteTensor>& tensors = model->subgraphs[0].tensors;
  EXPECT_FALSE(tensors[0].constant.has_value());
  ASSERT_TRUE(tensors[1].constant.has_value());
  const std::byte* data = tensors[1].constant->bytes().data();
  EXPECT_TRUE(data >= file.bytes.data() && data < file.bytes.data() + file.bytes.size());
  EXPECT_EQ(tensors[1].constant->data<int8_t>()[15], 15);
  EXPECT_EQ(to_ints(*tensors[2].constant), (std::vector<int64_t>{1, -2, 3, -4}));
}

TEST(Tflite, ReadsBytesAtAnyAddress) {
  const std::string bytes = packed(small_model());
  for (size_t shift = 1; shift < 8; ++shift) {
    SharedBytes moved = shared(std::string(shift, ' ') + bytes);
    moved.bytes = moved.bytes.subspan(shift);
    const Result<TfliteModel> model = read_tflite_bytes(moved);
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_EQ(to_ints(*model->subgraphs[0].tensors[2].constant)[3], -4);
  }
}

TEST(Tflite, ReadsBuffersBehindTheFlatbuffer) {
  tfl::ModelT model = small_model();
  model.buffers[1]->data.clear();
  model.buffers[1]->offset = 4096;
  model.buffers[1]->size = 16;
  std::string bytes = packed(model);
  ASSERT_LT(bytes.size(), 4096u);
  bytes.resize(4096, ' ');
  bytes += std::string(16, '\7');
  const Result<TfliteModel> result = read_tflite_bytes(shared(bytes));
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->subgraphs[0].tensors[1].constant->data<int8_t>()[0], 7);

  bytes.pop_back();
  const Result<TfliteModel> cut = read_tflite_bytes(shared(bytes));
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().message,
            "tensor 1 'w': buffer 1: bytes 4096 + 16 lie "
            "outside the file of 4111 bytes");
}

TEST(Tflite, DecodesStrings) {
  tfl::ModelT model = small_model();
  std::vector<uint8_t> data = bytes_of_values<int32_t>({2, 16, 18, 21});
  for (const char c : std::string("hiyou")) data.push_back(static_cast<uint8_t>(c));
  add_tensor(*model.subgraphs[0], "s", tfl::TensorType::STRING, {2}, add_buffer(model, data));
  const Result<TfliteModel> result = read_packed(model);
  ASSERT_TRUE(result.ok()) << result.error().message;
  const auto strings = result->subgraphs[0].tensors[5].constant->data<std::string>();
  EXPECT_EQ(strings[0], "hi");
  EXPECT_EQ(strings[1], "you");
}

TEST(Tflite, TellsScalarsFromUnknownRanksOnlyInFilesThatSaySo) {
  tfl::ModelT model = small_model();
  tensor_at(model, 4).shape.clear();
  Result<TfliteModel> result = read_packed(model);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->subgraphs[0].tensors[4].type.ranked);
  tensor_at(model, 0).has_rank = true;
  result = read_packed(model);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->subgraphs[0].tensors[4].type.ranked);
}

TEST(Tflite, GivesUnwrittenTensorsOfNoElementsAnEmptyConstant) {
  tfl::ModelT model = small_model();
  const uint32_t buffer = add_buffer(model, {});
  add_tensor(*model.subgraphs[0], "empty", tfl::TensorType::INT32, {0}, buffer);
  add_tensor(*model.subgraphs[0], "computed", tfl::TensorType::INT32, {0}, buffer);
  add_op(model, tfl::BuiltinOperator::SHAPE, {0}, {6});
  const Result<TfliteModel> result = read_packed(model);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(result->subgraphs[0].tensors[5].constant.has_value());
  EXPECT_FALSE(result->subgraphs[0].tensors[6].constant.has_value());
}

TEST(Tflite, HandlesAndComplexNumbersHaveNoElementType) {
  for (const auto type : {tfl::TensorType::RESOURCE, tfl::TensorType::VARIANT,
                          tfl::TensorType::COMPLEX64, tfl::TensorType::COMPLEX128}) {
    tfl::ModelT model = small_model();
    tensor_at(model, 4).type = type;
    tensor_at(model, 2).type = type;
    const Result<TfliteModel> result = read_packed(model);
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->subgraphs[0].tensors[4].type.dtype, DType::Undefined);
    EXPECT_FALSE(result->subgraphs[0].tensors[2].constant.has_value());
  }
}

TEST(Tflite, ExpandsSparseConstants) {
  tfl::ModelT model = small_model();
  make_sparse(model);
  const Result<TfliteModel> result = read_packed(model);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(to_ints(*result->subgraphs[0].tensors[5].constant),
            (std::vector<int64_t>{0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0}));
}

TEST(Tflite, NamesOptionsAsTheSchemaDoes) {
  const Result<TfliteModel> model = read_packed(small_model());
  ASSERT_TRUE(model.ok());
  const std::map<std::string, TfliteOption> expected = {
      {"fused_activation_function", "RELU6"},
      {"weights_format", "DEFAULT"},
      {"keep_num_dims", true},
      {"asymmetric_quantize_inputs", false},
      {"quantized_bias_type", "f32"},
  };
  EXPECT_EQ(model->subgraphs[0].ops[0].options, expected);
}

TEST(Tflite, DecodesEveryKindOfOption) {
  tfl::Conv2DOptionsT conv;
  conv.padding = tfl::Padding::VALID;
  conv.stride_w = 2;
  const auto conv_options = options_of(tfl::BuiltinOperator::CONV_2D, conv);
  EXPECT_EQ(conv_options.at("padding"), TfliteOption("VALID"));
  EXPECT_EQ(conv_options.at("stride_w"), TfliteOption(int64_t{2}));
  EXPECT_EQ(conv_options.at("dilation_h_factor"), TfliteOption(int64_t{1}));

  tfl::SoftmaxOptionsT softmax;
  softmax.beta = 0.5f;
  EXPECT_EQ(options_of(tfl::BuiltinOperator::SOFTMAX, softmax).at("beta"), TfliteOption(0.5));

  tfl::ReshapeOptionsT reshape;
  reshape.new_shape = {-1, 7};
  EXPECT_EQ(options_of(tfl::BuiltinOperator::RESHAPE, reshape).at("new_shape"),
            TfliteOption(std::vector<int64_t>{-1, 7}));

  tfl::ArgMaxOptionsT arg_max;
  arg_max.output_type = tfl::TensorType::INT64;
  EXPECT_EQ(options_of(tfl::BuiltinOperator::ARG_MAX, arg_max).at("output_type"),
            TfliteOption("i64"));

  tfl::VarHandleOptionsT handle;
  handle.shared_name = "state";
  const auto handle_options = options_of(tfl::BuiltinOperator::VAR_HANDLE, handle);
  EXPECT_EQ(handle_options.at("shared_name"), TfliteOption("state"));
  EXPECT_EQ(handle_options.at("container"), TfliteOption(""));

  EXPECT_TRUE(options_of(tfl::BuiltinOperator::PAD, tfl::PadOptionsT()).empty());
}

TEST(Tflite, ReadsOptionsOfTheSecondUnion) {
  tfl::ModelT model = small_model();
  tfl::StableHLOCompositeOptionsT composite;
  composite.name = "odml.rms_norm";
  add_op(model, tfl::BuiltinOperator::STABLEHLO_COMPOSITE, {0}, {4})
      .builtin_options_2.Set(std::move(composite));
  const Result<TfliteModel> result = read_packed(model);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->subgraphs[0].ops[2].name, "STABLEHLO_COMPOSITE");
  EXPECT_EQ(result->subgraphs[0].ops[2].options.at("name"), TfliteOption("odml.rms_norm"));
}

TEST(Tflite, NamesCustomOperatorsByTheirCode) {
  const Result<TfliteModel> model = read_packed(small_model());
  ASSERT_TRUE(model.ok());
  const TfliteOp& op = model->subgraphs[0].ops[1];
  EXPECT_EQ(op.name, "MyOp");
  EXPECT_TRUE(op.custom);
  EXPECT_FALSE(model->subgraphs[0].ops[0].custom);
  EXPECT_EQ(op.inputs, (std::vector<int>{3, -1}));
  EXPECT_EQ(op.custom_options, (std::vector<std::byte>{std::byte{1}, std::byte{2}, std::byte{3}}));
}

TEST(Tflite, TakesTheLargerOfTheTwoOperatorCodes) {
  tfl::ModelT model = small_model();
  model.operator_codes[0]->builtin_code = tfl::BuiltinOperator::ADD;  // Files older than the field.
  add_op(model, tfl::BuiltinOperator::GELU, {0}, {4});
  const Result<TfliteModel> result = read_packed(model);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->subgraphs[0].ops[0].name, "FULLY_CONNECTED");
  EXPECT_EQ(result->subgraphs[0].ops[2].name, "GELU");
}

}  // namespace
}  // namespace hone
