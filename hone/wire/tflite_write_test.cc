// What is written is what is read again, and passes flatbuffers' own check.

#include "hone/wire/tflite_write.h"

#include <gtest/gtest.h>

#include "hone/wire/tflite_testing.h"

namespace hone {
namespace {

std::string written(const TfliteModel& model) {
  const Result<std::string> bytes = write_tflite_bytes(model);
  EXPECT_TRUE(bytes.ok()) << bytes.error().message;
  return bytes.ok() ? *bytes : "";
}

std::string refusal(const TfliteModel& model) {
  const Result<std::string> bytes = write_tflite_bytes(model);
  EXPECT_FALSE(bytes.ok());
  return bytes.ok() ? "" : bytes.error().message;
}

TfliteModel read_again(const TfliteModel& model) {
  const Result<TfliteModel> again = read_tflite_bytes(shared(written(model)));
  EXPECT_TRUE(again.ok()) << again.error().message;
  return again.ok() ? *again : TfliteModel();
}

void expect_same(const TfliteTensor& a, const TfliteTensor& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(text_of(a.type), text_of(b.type)) << a.name;
  EXPECT_EQ(a.type.quantized(), b.type.quantized()) << a.name;
  if (a.type.quantized() && b.type.quantized()) {
    EXPECT_EQ(*a.type.quant, *b.type.quant) << a.name;
  }
  EXPECT_EQ(a.variable, b.variable);
  ASSERT_EQ(a.constant.has_value(), b.constant.has_value()) << a.name;
  if (a.constant && a.type.dtype != DType::String) {
    EXPECT_TRUE(std::ranges::equal(a.constant->bytes(), b.constant->bytes())) << a.name;
  }
}

void expect_same(const TfliteOp& a, const TfliteOp& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.custom, b.custom);
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.outputs, b.outputs);
  EXPECT_EQ(a.intermediates, b.intermediates);
  EXPECT_EQ(a.options, b.options) << a.name;
  EXPECT_EQ(a.custom_options, b.custom_options);
}

void expect_same(const TfliteModel& a, const TfliteModel& b) {
  EXPECT_EQ(a.description, b.description);
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_EQ(a.subgraphs.size(), b.subgraphs.size());
  for (size_t s = 0; s < a.subgraphs.size(); ++s) {
    const TfliteSubgraph& from = a.subgraphs[s];
    const TfliteSubgraph& to = b.subgraphs[s];
    EXPECT_EQ(from.name, to.name);
    EXPECT_EQ(from.inputs, to.inputs);
    EXPECT_EQ(from.outputs, to.outputs);
    ASSERT_EQ(from.tensors.size(), to.tensors.size());
    for (size_t i = 0; i < from.tensors.size(); ++i) expect_same(from.tensors[i], to.tensors[i]);
    ASSERT_EQ(from.ops.size(), to.ops.size());
    for (size_t i = 0; i < from.ops.size(); ++i) expect_same(from.ops[i], to.ops[i]);
  }
}

TfliteModel small() {
  return *read_packed(small_model());
}

// One operator that reads and writes tensors of float.
TfliteModel of_one(const std::string& op, std::map<std::string, TfliteOption> options) {
  TfliteModel model;
  TfliteSubgraph& main = model.subgraphs.emplace_back();
  for (const char* name : {"x", "y"}) {
    main.tensors.push_back({name, TensorType{DType::F32, {1, 2}}, std::nullopt, false});
  }
  main.inputs = {0};
  main.outputs = {1};
  TfliteOp& only = main.ops.emplace_back();
  only.name = op;
  only.inputs = {0};
  only.outputs = {1};
  only.options = std::move(options);
  return model;
}

TEST(TfliteWrite, GivesBackWhatItWasGiven) {
  const TfliteModel model = small();
  expect_same(read_again(model), model);
}

TEST(TfliteWrite, PassesTheVerifier) {
  const std::string bytes = written(small());
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  EXPECT_TRUE(tfl::VerifyModelBuffer(verifier));
  EXPECT_EQ(bytes.substr(4, 4), "TFL3");
}

TEST(TfliteWrite, WritesTheSameBytesAgain) {
  EXPECT_EQ(written(small()), written(read_again(small())));
}

TEST(TfliteWrite, KeepsOptionsOfEveryKind) {
  const std::map<std::string, std::map<std::string, TfliteOption>> cases = {
      {"CONV_2D", {{"padding", std::string("VALID")}, {"stride_w", int64_t{2}}}},
      {"AVERAGE_POOL_2D", {{"filter_width", int64_t{3}}, {"padding", std::string("SAME")}}},
      {"RESHAPE", {{"new_shape", std::vector<int64_t>{-1, 7}}}},
      {"SOFTMAX", {{"beta", 0.5}}},
      {"CAST", {{"in_data_type", std::string("i8")}, {"out_data_type", std::string("f32")}}},
      {"MEAN", {{"keep_dims", true}}},
      {"RESIZE_BILINEAR", {{"align_corners", true}, {"half_pixel_centers", false}}},
      {"VAR_HANDLE", {{"shared_name", std::string("state")}}},
      {"RANDOM_UNIFORM", {{"seed", int64_t{1} << 40}}},
      {"ADD", {{"fused_activation_function", std::string("RELU_N1_TO_1")}}},
      {"LOGISTIC", {}},
  };
  for (const auto& [op, options] : cases) {
    SCOPED_TRACE(op);
    const TfliteModel again = read_again(of_one(op, options));
    ASSERT_EQ(again.subgraphs.size(), 1u);
    for (const auto& [name, option] : options) {
      EXPECT_EQ(again.subgraphs[0].ops[0].options.at(name), option) << name;
    }
  }
}

TEST(TfliteWrite, SharesBuffersOfTheSameBytes) {
  TfliteModel model = of_one("LOGISTIC", {});
  const Tensor weights = Tensor::of<float>({256}, std::vector<float>(256, 1.5f));
  auto& tensors = model.subgraphs[0].tensors;
  tensors.push_back({"a", weights.type(), weights, false});
  const size_t once = written(model).size();
  tensors.push_back({"b", TensorType{DType::F32, {16, 16}}, weights.reshaped({16, 16}), false});
  EXPECT_LT(written(model).size(), once + 256);
  expect_same(read_again(model), model);
}

TEST(TfliteWrite, KeepsOddNamesStringsAndTensorsOfNothing) {
  TfliteModel model = of_one("LOGISTIC", {});
  auto& tensors = model.subgraphs[0].tensors;
  tensors[0].name = std::string("a/b\nc\0d \"'\\ \xc3\xa4", 17);
  tensors[1].name = "";
  const Tensor texts = Tensor::of<std::string>({3}, {"", "two", std::string("\0x", 2)});
  tensors.push_back({"texts", texts.type(), texts, false});
  const Tensor none(TensorType{DType::F32, {0, 4}});
  tensors.push_back({"none", none.type(), none, false});
  tensors.push_back({"open", TensorType{DType::I64, {kUnknown, 4}}, std::nullopt, true});
  const TfliteModel again = read_again(model);
  expect_same(again, model);
  EXPECT_TRUE(std::ranges::equal(again.subgraphs[0].tensors[2].constant->data<std::string>(),
                                 texts.data<std::string>()));
}

TEST(TfliteWrite, SaysWhatItCannotWrite) {
  EXPECT_EQ(refusal(of_one("NO_SUCH_OP", {})), "NO_SUCH_OP: no such operator in TFLite");
  EXPECT_EQ(refusal(of_one("SOFTMAX", {{"gamma", 1.0}})),
            "SOFTMAX: option gamma: the operator has none of that name");
  EXPECT_EQ(refusal(of_one("LOGISTIC", {{"beta", 1.0}})),
            "LOGISTIC: option beta: the operator has none");
  EXPECT_EQ(refusal(of_one("CONV_2D", {{"padding", std::string("LEFT")}})),
            "CONV_2D: option padding: unknown value 'LEFT'");
  EXPECT_EQ(refusal(of_one("CONV_2D", {{"stride_w", int64_t{1} << 40}})),
            "CONV_2D: option stride_w: 1099511627776 of 32 bits");
  TfliteModel model = of_one("LOGISTIC", {});
  model.subgraphs[0].tensors[1].type.dtype = DType::F8E4M3FNUZ;
  EXPECT_NE(refusal(model).find("tensor 'y': elements of"), std::string::npos);
  model.subgraphs[0].tensors[1].type = TensorType{DType::F32, {int64_t{1} << 33}};
  EXPECT_EQ(refusal(model), "tensor 'y': an extent of 8589934592");
}

// Views of the same few bytes, each at another place, claim the size without the memory.
TEST(TfliteWrite, RefusesMoreThanAFileHolds) {
  constexpr size_t kEach = size_t{1} << 20;
  TfliteModel model = of_one("LOGISTIC", {});
  const SharedBytes bytes = shared(std::string(kEach + 2000, 'w'));
  for (size_t i = 0; i < 2000; ++i) {
    const Tensor part =
        *Tensor::view(TensorType{DType::I8, {kEach}}, {bytes.owner, bytes.bytes.subspan(i, kEach)});
    model.subgraphs[0].tensors.push_back({"w", part.type(), part, false});
  }
  EXPECT_EQ(refusal(model),
            "constants of 2097152000 bytes, expected at most 1900000000 in a .tflite file");
}

}  // namespace
}  // namespace hone
