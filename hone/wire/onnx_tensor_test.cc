#include <gtest/gtest.h>

#include <numeric>

#include "hone/wire/onnx.h"
#include "hone/wire/onnx_test_util.h"

namespace hone {
namespace {

// TensorProto.DataType.
enum { kF32 = 1, kU8, kI8, kU16, kI16, kI32, kI64, kString, kBool, kF16, kF64, kU32, kU64 };
enum { kBF16 = 16, kF8E4M3FN = 17, kU4 = 21, kI4 = 22, kF4 = 23, kU2 = 25, kI2 = 26 };

std::vector<double> values_of(const Result<Tensor>& tensor) {
  EXPECT_TRUE(tensor.ok()) << message_of(tensor);
  return tensor.ok() ? to_doubles(*tensor) : std::vector<double>{};
}

using Doubles = std::vector<double>;

TEST(OnnxTensor, TypedFieldsAreRead) {
  const auto read = [](int type, const std::string& data) {
    return values_of(read_initializer(tensor_message({2}, type, data)));
  };
  EXPECT_EQ(read(kF32, packed<float>(4, {1.5f, -2})), (Doubles{1.5, -2}));
  EXPECT_EQ(read(kF64, packed<double>(10, {1.5, -2})), (Doubles{1.5, -2}));
  EXPECT_EQ(read(kI64, packed<int64_t>(7, {1, -2})), (Doubles{1, -2}));
  EXPECT_EQ(read(kU64, packed<uint64_t>(11, {1, 2})), (Doubles{1, 2}));
  EXPECT_EQ(read(kU32, packed<uint64_t>(11, {1, 4294967295})), (Doubles{1, 4294967295}));
  EXPECT_EQ(read(kI32, packed<int64_t>(5, {1, -2})), (Doubles{1, -2}));
  EXPECT_EQ(read(kI16, packed<int64_t>(5, {1, -2})), (Doubles{1, -2}));
  EXPECT_EQ(read(kU16, packed<int64_t>(5, {1, 65535})), (Doubles{1, 65535}));
  EXPECT_EQ(read(kI8, packed<int64_t>(5, {1, -128})), (Doubles{1, -128}));
  EXPECT_EQ(read(kU8, packed<int64_t>(5, {1, 255})), (Doubles{1, 255}));
  EXPECT_EQ(read(kBool, packed<int64_t>(5, {0, 1})), (Doubles{0, 1}));
  EXPECT_EQ(read(kF16, packed<int64_t>(5, {0x3C00, 0xC000})), (Doubles{1, -2}));
  EXPECT_EQ(read(kBF16, packed<int64_t>(5, {0x3F80, 0xC000})), (Doubles{1, -2}));
  EXPECT_EQ(read(kF8E4M3FN, packed<int64_t>(5, {0x38, 0xC0})), (Doubles{1, -2}));
}

TEST(OnnxTensor, FourBitFieldsStayPackedLowNibbleFirst) {
  const auto read = [](int type, const std::string& data) {
    return values_of(read_initializer(tensor_message({3}, type, data)));
  };
  EXPECT_EQ(read(kU4, packed<int64_t>(5, {0xF1, 0x08})), (Doubles{1, 15, 8}));
  EXPECT_EQ(read(kI4, packed<int64_t>(5, {0xF1, 0x08})), (Doubles{1, -1, -8}));
  EXPECT_EQ(read(kI4, field(9, "\xF1\x08")), (Doubles{1, -1, -8}));
  EXPECT_EQ(read(kF4, field(9, "\xF1\x08")), (Doubles{0.5, -6, -0.0}));
}

TEST(OnnxTensor, FourElementsOfTwoBitsShareAByte) {
  const auto read = [](int type, const std::string& data) {
    return values_of(read_initializer(tensor_message({5}, type, data)));
  };
  EXPECT_EQ(read(kU2, packed<int64_t>(5, {0xE4, 0x02})), (Doubles{0, 1, 2, 3, 2}));
  EXPECT_EQ(read(kI2, field(9, "\xE4\x02")), (Doubles{0, 1, -2, -1, -2}));
}

TEST(OnnxTensor, FloatsMayComeOneByOneOrInSeveralPacks) {
  const std::string one = varint(4 << 3 | 5) + raw_bytes<float>({3});
  EXPECT_EQ(values_of(read_initializer(tensor_message({2}, kF32, one + one))), (Doubles{3, 3}));
  const std::string packs = packed<float>(4, {1}) + packed<float>(4, {2, 3});
  EXPECT_EQ(values_of(read_initializer(tensor_message({3}, kF32, packs))), (Doubles{1, 2, 3}));
}

TEST(OnnxTensor, StringsAreRead) {
  const auto tensor =
      read_initializer(tensor_message({2}, kString, field(6, "a") + field(6, "bc")));
  ASSERT_TRUE(tensor.ok()) << message_of(tensor);
  EXPECT_EQ(tensor->data<std::string>()[1], "bc");
}

TEST(OnnxTensor, AScalarAndAnEmptyTensorNeedNoMore) {
  EXPECT_EQ(values_of(read_initializer(tensor_message({}, kF32, packed<float>(4, {5})))),
            Doubles{5});
  EXPECT_EQ(values_of(read_initializer(tensor_message({0, 3}, kF32, ""))), Doubles{});
}

TEST(OnnxTensor, AnyByteButZeroIsTrue) {
  const auto tensor =
      read_initializer(tensor_message({3}, kBool, field(9, std::string("\0\x07\xff", 3))));
  EXPECT_EQ(values_of(tensor), (Doubles{0, 1, 1}));
}

TEST(OnnxTensor, WrongAmountsOfDataAreRefused) {
  const auto error = [](int type, const std::string& data) {
    return message_of(read_initializer(tensor_message({4}, type, data)));
  };
  EXPECT_EQ(error(kF32, field(9, std::string(12, '\0'))),
            "initializer 'w': holds 12 bytes, expected 16 for f32[4]");
  EXPECT_EQ(error(kF32, field(9, std::string(20, '\0'))),
            "initializer 'w': holds 20 bytes, expected 16 for f32[4]");
  EXPECT_EQ(error(kF32, ""), "initializer 'w': holds 0 values, expected 4 for f32[4]");
  EXPECT_EQ(error(kI32, packed<float>(4, {1, 2, 3, 4})),
            "initializer 'w': holds 0 values, expected 4 for i32[4]");
  EXPECT_EQ(error(kI4, packed<int64_t>(5, {1, 2, 3, 4})),
            "initializer 'w': holds 4 values, expected 2 for i4[4]");
  EXPECT_EQ(error(kString, field(6, "a")),
            "initializer 'w': holds 1 values, expected 4 for string[4]");
  EXPECT_EQ(error(kString, field(9, "abcd")), "initializer 'w': holds strings as raw bytes");
}

TEST(OnnxTensor, ValuesThatDoNotFitAreRefused) {
  const auto error = [](int type, const std::string& data) {
    return message_of(read_initializer(tensor_message({1}, type, data)));
  };
  EXPECT_EQ(error(kU8, packed<int64_t>(5, {256})),
            "initializer 'w': holds 256, which does not fit u8");
  EXPECT_EQ(error(kI16, packed<int64_t>(5, {-32769})),
            "initializer 'w': holds -32769, which does not fit i16");
  EXPECT_EQ(error(kU32, packed<uint64_t>(11, {UINT64_MAX})),
            "initializer 'w': holds 18446744073709551615, which does not fit u32");
}

TEST(OnnxTensor, ImpossibleShapesAreRefused) {
  const auto error = [](const std::vector<int64_t>& dims, int type = kF32) {
    return message_of(read_initializer(tensor_message(dims, type, "")));
  };
  EXPECT_EQ(error({2, -1}), "initializer 'w': has a negative extent: 2x-1");
  EXPECT_EQ(error({INT64_MIN}), "initializer 'w': has a negative extent: -9223372036854775808");
  EXPECT_NE(error({int64_t{1} << 32, int64_t{1} << 32}).find("claims more than"),
            std::string::npos);
  EXPECT_NE(error({INT64_MAX}, kString).find("claims more than"), std::string::npos);
  EXPECT_NE(error({1 << 20}, kString).find("holds 0 values"), std::string::npos);
}

TEST(OnnxTensor, TypesHoneDoesNotHaveAreRefusedByName) {
  const auto error = [](int type) {
    const auto tensor = read_initializer(tensor_message({1}, type, field(9, "abcdefgh")));
    EXPECT_EQ(tensor.error().kind, type == 0 ? ErrorKind::BadInput : ErrorKind::Unsupported);
    return message_of(tensor);
  };
  EXPECT_EQ(error(0), "initializer 'w': has no element type");
  EXPECT_EQ(error(14), "initializer 'w': element type complex64 is not supported");
  EXPECT_EQ(error(24), "initializer 'w': element type float8e8m0 is not supported");
  EXPECT_EQ(error(99), "initializer 'w': element type number 99 is not known");
}

TEST(OnnxTensor, SegmentsAreRefused) {
  const std::string tensor = tensor_message({1}, kF32, field(3, field(1, 1)));
  EXPECT_EQ(message_of(read_initializer(tensor)),
            "initializer 'w': is a segment of a bigger tensor");
}

// A SparseTensorProto in a graph's sparse_initializer.
Result<Tensor> read_sparse(const std::string& values, const std::string& indices,
                           const std::vector<int64_t>& dims) {
  std::string sparse = field(1, values + field(8, "s")) + field(2, indices);
  for (const int64_t dim : dims) sparse += field(3, dim);
  HONE_TRY(const OnnxModel model, read_text(model_message(field(15, sparse))));
  EXPECT_EQ(model.graph.initializers.at(0).first, "s");
  return model.graph.initializers.at(0).second;
}

TEST(OnnxTensor, SparseTensorsBecomeDense) {
  const std::string values = tensor_message({2}, kF32, packed<float>(4, {5, 7}));
  const std::string flat = tensor_message({2}, kI64, packed<int64_t>(7, {1, 5}));
  const std::string pairs = tensor_message({2, 2}, kI64, packed<int64_t>(7, {0, 1, 1, 2}));
  const Doubles dense{0, 5, 0, 0, 0, 7};
  const auto tensor = read_sparse(values, flat, {2, 3});
  EXPECT_EQ(values_of(tensor), dense);
  EXPECT_EQ(tensor->shape(), (Shape{2, 3}));
  EXPECT_EQ(values_of(read_sparse(values, pairs, {2, 3})), dense);
}

TEST(OnnxTensor, SparseFourBitValuesAndStringsBecomeDense) {
  const std::string at = tensor_message({2}, kI64, packed<int64_t>(7, {0, 2}));
  EXPECT_EQ(values_of(read_sparse(tensor_message({2}, kI4, field(9, "\xF3")), at, {3})),
            (Doubles{3, 0, -1}));
  const auto strings =
      read_sparse(tensor_message({2}, kString, field(6, "a") + field(6, "b")), at, {3});
  ASSERT_TRUE(strings.ok()) << message_of(strings);
  EXPECT_EQ(strings->data<std::string>()[2], "b");
}

TEST(OnnxTensor, SparseAttributesBecomeDense) {
  const std::string sparse = field(1, tensor_message({1}, kF32, packed<float>(4, {5}))) +
                             field(2, tensor_message({1}, kI64, packed<int64_t>(7, {1}))) +
                             field(3, 2);
  const std::string attr = field(1, "sparse_value") + field(20, 11) + field(22, sparse);
  const std::string attrs = field(1, "many") + field(20, 12) + field(23, sparse);
  const auto model = read_text(model_message(field(1, field(5, attr) + field(5, attrs))));
  ASSERT_TRUE(model.ok()) << message_of(model);
  const auto& read = model->graph.nodes[0].attrs;
  EXPECT_EQ(to_doubles(std::get<Tensor>(read.at("sparse_value").value)), (Doubles{0, 5}));
  EXPECT_EQ(std::get<std::vector<Tensor>>(read.at("many").value).size(), 1u);
}

TEST(OnnxTensor, BadSparseTensorsAreRefused) {
  const std::string values = tensor_message({1}, kF32, packed<float>(4, {5}));
  const auto at = [](int64_t index) {
    return tensor_message({1}, kI64, packed<int64_t>(7, {index}));
  };
  EXPECT_EQ(message_of(read_sparse(values, at(6), {2, 3})),
            "initializer 's': sparse index 6 is outside f32[2,3]");
  EXPECT_EQ(message_of(read_sparse(values, at(-1), {2, 3})),
            "initializer 's': sparse index -1 is outside f32[2,3]");
  EXPECT_EQ(message_of(read_sparse(values, at(0), {int64_t{1} << 33})),
            "initializer 's': sparse f32[8589934592] is too big to be made dense");
  EXPECT_EQ(message_of(read_sparse(values, at(0), {-3})),
            "initializer 's': has a negative extent: -3");
  EXPECT_EQ(
      message_of(read_sparse(values, tensor_message({2}, kI64, packed<int64_t>(7, {0, 1})), {4})),
      "initializer 's': sparse indices are i64[2], expected i64[1] or i64[1,1]");
  EXPECT_EQ(message_of(read_sparse(tensor_message({}, kF32, packed<float>(4, {5})), at(0), {4})),
            "initializer 's': sparse values are f32[], expected rank 1");
}

TEST(OnnxTensor, ManySparseTensorsShareOneLimit) {
  const std::string sparse = field(1, tensor_message({0}, kU8, "")) +
                             field(2, tensor_message({0}, kI64, "")) + field(3, 600 << 20);
  const auto model = read_text(model_message(field(15, sparse) + field(15, sparse)));
  EXPECT_EQ(message_of(model), "initializer '': sparse u8[629145600] is too big to be made dense");
}

}  // namespace
}  // namespace hone
