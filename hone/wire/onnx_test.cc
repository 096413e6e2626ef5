#include "hone/wire/onnx.h"

#include <gtest/gtest.h>

#include "hone/wire/onnx_test_util.h"
#include "hone/wire/onnx_write.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

TEST(Onnx, WhatIsWrittenIsReadBackTheSame) {
  const OnnxModel model = model_of_everything();
  const Result<std::string> bytes = write_onnx_bytes(model);
  ASSERT_TRUE(bytes.ok()) << message_of(bytes);
  const Result<OnnxModel> again = read_text(*bytes);
  ASSERT_TRUE(again.ok()) << message_of(again);
  expect_same(model, *again);
}

TEST(Onnx, AFileIsReadBackTheSameAndLeavesNoPartFile) {
  const TempFolder folder;
  const OnnxModel model = model_of_everything();
  ASSERT_TRUE(write_onnx(model, folder / "m.onnx").ok());
  const Result<OnnxModel> again = read_onnx(folder / "m.onnx");
  ASSERT_TRUE(again.ok()) << message_of(again);
  expect_same(model, *again);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Onnx, ModelsOverTheLimitKeepBigTensorsInExternalData) {
  const TempFolder folder;
  OnnxModel model = model_of_everything();
  Tensor big(TensorType{DType::F32, {16, 16}});
  big.mutable_data<float>()[255] = 7;
  model.graph.initializers.emplace_back("big", big);
  model.graph.initializers.emplace_back("big2", big);
  model.graph.nodes[0].attrs["tensor"].value = big;
  ASSERT_TRUE(write_onnx_up_to(model, folder / "m.onnx", 2000).ok());
  EXPECT_EQ(fs::file_size(folder / "m.onnx.data"), 3 * 1024u);
  const Result<OnnxModel> again = read_onnx(folder / "m.onnx");
  ASSERT_TRUE(again.ok()) << message_of(again);
  expect_same(model, *again);
  EXPECT_FALSE(fs::exists(folder / "m.onnx.data.part"));
}

TEST(Onnx, WritingToAFolderThatIsNotThereFailsAndNamesThePath) {
  const Status status = write_onnx(model_of_everything(), "/nowhere/m.onnx");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message.find("/nowhere/m.onnx: cannot be written"), 0u)
      << status.error().message;
}

TEST(Onnx, ATensorWithoutATypeIsNotWritten) {
  OnnxModel model;
  model.graph.initializers.emplace_back("w", Tensor());
  EXPECT_EQ(message_of(write_onnx_bytes(model)), "initializer 'w': has no type to be written with");
}

TEST(Onnx, ElementTypeNumbersGoBothWays) {
  for (int i = 1; i < kDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_onnx(dtype_to_onnx(dtype)), dtype);
  }
  EXPECT_EQ(dtype_to_onnx(DType::Undefined), 0);
  EXPECT_EQ(dtype_from_onnx(1), DType::F32);
  EXPECT_EQ(dtype_from_onnx(22), DType::I4);
  for (const int64_t number : {-1, 0, 14, 15, 24, 27, 1000}) {
    EXPECT_EQ(dtype_from_onnx(number), DType::Undefined) << number;
  }
}

TEST(Onnx, TheStandardDomainHasOneName) {
  const std::string node = field(4, "Relu") + field(7, "ai.onnx");
  const auto model = read_text(field(1, 8) + field(7, field(1, node)) +
                               field(8, field(1, "ai.onnx") + field(2, 9)));
  ASSERT_TRUE(model.ok()) << message_of(model);
  EXPECT_EQ(model->graph.nodes[0].domain, "");
  EXPECT_EQ(model->opsets, (std::map<std::string, int64_t>{{"", 9}}));
}

TEST(Onnx, FilesBeforeOpsetsHaveOpsetOne) {
  const auto model = read_text(field(1, 2) + field(7, ""));
  ASSERT_TRUE(model.ok()) << message_of(model);
  EXPECT_EQ(model->opsets, (std::map<std::string, int64_t>{{"", 1}}));
}

TEST(Onnx, LaterFilesMustImportAnOpset) {
  EXPECT_EQ(message_of(read_text(field(1, 3) + field(7, ""))),
            "imports no opset, which IR version 3 requires");
}

TEST(Onnx, AnOpsetOfTwoVersionsIsRefused) {
  const std::string twice = field(8, field(2, 9)) + field(8, field(1, "ai.onnx") + field(2, 10));
  EXPECT_EQ(message_of(read_text(field(1, 8) + field(7, "") + twice)),
            "opset '' is imported as version 9 and as 10");
}

TEST(Onnx, OpsetsCountFromOne) {
  const auto version = [](int64_t number) {
    return message_of(read_text(field(1, 8) + field(7, "") + field(8, field(2, number))));
  };
  EXPECT_EQ(version(0), "opset version 0, expected 1 to 1000");
  EXPECT_EQ(version(-1), "opset version -1, expected 1 to 1000");
  EXPECT_EQ(version(int64_t{1} << 40), "opset version 1099511627776, expected 1 to 1000");
}

TEST(Onnx, AttributesWithoutATypeGetItFromTheirValue) {
  const std::string floats = varint(7 << 3 | 5) + raw_bytes<float>({1.5f});
  const std::string node =
      field(4, "Op") + field(5, field(1, "i") + field(3, 4)) +
      field(5, field(1, "s") + field(4, "text")) + field(5, field(1, "ints") + field(8, 7)) +
      field(5, field(1, "floats") + floats) +
      field(5, field(1, "t") + field(5, tensor_message({}, 7, packed<int64_t>(7, {9}))));
  const auto model = read_text(model_message(field(1, node)));
  ASSERT_TRUE(model.ok()) << message_of(model);
  const std::map<std::string, OnnxAttr>& attrs = model->graph.nodes[0].attrs;
  EXPECT_EQ(std::get<int64_t>(attrs.at("i").value), 4);
  EXPECT_EQ(std::get<std::string>(attrs.at("s").value), "text");
  EXPECT_EQ(std::get<std::vector<int64_t>>(attrs.at("ints").value), std::vector<int64_t>{7});
  EXPECT_EQ(std::get<std::vector<float>>(attrs.at("floats").value), std::vector<float>{1.5f});
  EXPECT_EQ(to_ints(std::get<Tensor>(attrs.at("t").value)), std::vector<int64_t>{9});
}

TEST(Onnx, AttributesThatCannotBeReadAreNamed) {
  const auto read_attr = [](const std::string& attr) {
    return message_of(read_text(model_message(field(1, field(3, "n") + attr))));
  };
  const std::string alpha = field(5, field(1, "a") + field(3, 1));
  EXPECT_EQ(read_attr(alpha + alpha), "node 'n': attribute 'a' is given twice");
  EXPECT_EQ(read_attr(field(5, field(1, "a"))),
            "node 'n': attribute 'a': has neither a type nor a value");
  EXPECT_EQ(read_attr(field(5, field(1, "a") + field(20, 99))),
            "node 'n': attribute 'a': attribute type number 99 is not known");
  EXPECT_EQ(read_attr(field(5, field(1, "a") + field(20, 14))),
            "node 'n': attribute 'a': a list of types is not supported");
  EXPECT_EQ(read_attr(field(8, "v2")), "node 'n': overload 'v2' of a function is not supported");
}

TEST(Onnx, NodesWithoutANameAreToldByTheirOutput) {
  const std::string node = field(4, "Relu") + field(2, "y") + field(5, field(1, "a"));
  EXPECT_EQ(message_of(read_text(model_message(field(1, node)))),
            "Relu node of 'y': attribute 'a': has neither a type nor a value");
}

TEST(Onnx, TypesHoneDoesNotHaveAreRefusedByName) {
  const auto read_type = [](const std::string& type) {
    const auto model = read_text(model_message(field(11, field(1, "x") + field(2, type))));
    EXPECT_FALSE(model.ok());
    return message_of(model);
  };
  const std::string map = field(5, field(1, 7));
  const std::string sequence = field(4, field(1, field(1, field(1, 1))));
  EXPECT_EQ(read_type(map), "value 'x': map types are not supported");
  EXPECT_EQ(read_type(field(4, field(1, map))), "value 'x': map types are not supported");
  EXPECT_EQ(read_type(field(4, field(1, sequence))),
            "value 'x': nested sequences are not supported");
  EXPECT_EQ(read_type(field(7, "")), "value 'x': opaque types are not supported");
  EXPECT_EQ(read_type(field(1, field(1, 14))),
            "value 'x': element type complex64 is not supported");
  EXPECT_EQ(read_type(field(1, field(1, 1) + field(2, field(1, field(1, -2))))),
            "value 'x': extent -2 is negative");
}

TEST(Onnx, AnExtentOfMinusOneIsUnknown) {
  const std::string type = field(1, field(1, 1) + field(2, field(1, field(1, -1))));
  const auto model = read_text(model_message(field(11, field(1, "x") + field(2, type))));
  ASSERT_TRUE(model.ok()) << message_of(model);
  EXPECT_EQ(model->graph.inputs[0].type->shape->at(0).value, kUnknown);
}

}  // namespace
}  // namespace hone
