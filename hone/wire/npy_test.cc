#include "hone/wire/npy.h"

#include <gtest/gtest.h>

#include <fstream>

#include "hone/base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class Npy : public ::testing::Test {
 protected:
  Npy() : path_(fs::temp_directory_path() / str("hone_npy_", getpid(), ".npy")) {}
  ~Npy() override { fs::remove(path_); }

  Result<Tensor> read(const std::string& file) {
    std::ofstream(path_, std::ios::binary) << file;
    return read_npy(path_);
  }

  std::string error(const std::string& file) {
    const auto tensor = read(file);
    if (tensor.ok()) return "ok";
    const std::string& message = tensor.error().message;
    EXPECT_EQ(message.find(path_.string() + ": "), 0u) << message;
    return message.substr(std::min(message.size(), path_.string().size() + 2));
  }

  fs::path path_;
};

// A file with this header, padded to nothing in particular.
std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string file = "\x93NUMPY";
  file += version;
  file += '\0';
  file += static_cast<char>(header.size());
  file += '\0';
  if (version > 1) file += std::string(2, '\0');
  return file + header + data;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return str("{'descr': '", descr, "', 'fortran_order': ", fortran ? "True" : "False",
             ", 'shape': ", shape, ", }\n");
}

template <class T>
std::string bytes(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

using Doubles = std::vector<double>;

TEST_F(Npy, WhatIsWrittenIsReadBackTheSame) {
  for (const DType dtype :
       {DType::F32, DType::F64, DType::F16, DType::I8, DType::I16, DType::I32, DType::I64,
        DType::U8, DType::U16, DType::U32, DType::U64, DType::Bool}) {
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{0, 2}}) {
      Tensor tensor(TensorType{dtype, shape});
      if (tensor.elements() > 0) tensor.mutable_bytes().back() = std::byte{1};
      ASSERT_TRUE(write_npy(tensor, path_).ok());
      const auto again = read_npy(path_);
      ASSERT_TRUE(again.ok()) << again.error().message;
      EXPECT_EQ(again->type(), tensor.type());
      EXPECT_EQ(to_doubles(*again), to_doubles(tensor));
    }
  }
}

TEST_F(Npy, StringsAreReadBackTheSame) {
  const auto tensor =
      Tensor::of<std::string>({2, 2}, {"", "abc", "h\u00f6ne \u4e2d", "\U0001F642"});
  ASSERT_TRUE(write_npy(tensor, path_).ok());
  const auto again = read_npy(path_);
  ASSERT_TRUE(again.ok()) << again.error().message;
  ASSERT_EQ(again->type(), tensor.type());
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(again->data<std::string>()[i], tensor.data<std::string>()[i]);
  }
}

TEST_F(Npy, TheDataStartsAtAMultipleOf64AsNumPyWritesIt) {
  ASSERT_TRUE(write_npy(Tensor::of<float>({2}, {1, 2}), path_).ok());
  const auto file = read_file(path_);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->bytes.size(), 256u + 8u);
  const std::string text(reinterpret_cast<const char*>(file->bytes.data()), 256);
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\x01\x00\xF6\x00", 10));
  EXPECT_EQ(text.find("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"), 10u);
  EXPECT_EQ(text.substr(255 - 128), std::string(128, ' ') + "\n");  // Whose file it is.
}

TEST_F(Npy, TypesThatNumPyLacksAreWidened) {
  const auto widened = [&](const Tensor& tensor) {
    EXPECT_TRUE(write_npy(tensor, path_).ok());
    return *read_npy(path_);
  };
  const Tensor bf16 = widened(Tensor::of<BFloat16>({1}, {BFloat16(1.5f)}));
  EXPECT_EQ(bf16.dtype(), DType::F32);
  EXPECT_EQ(to_doubles(bf16), Doubles{1.5});
  EXPECT_EQ(to_doubles(widened(Tensor::of<Float8E5M2>({1}, {Float8E5M2(-2.f)}))), Doubles{-2});
  const std::vector<int8_t> values = {-8, 7, -1};
  const Tensor i4 = widened(pack_small(TensorType{DType::I4, {3}}, values));
  EXPECT_EQ(i4.dtype(), DType::I8);
  EXPECT_EQ(to_doubles(i4), (Doubles{-8, 7, -1}));
  const Tensor u4 = widened(pack_small(TensorType{DType::U4, {3}}, values));
  EXPECT_EQ(u4.dtype(), DType::U8);
  EXPECT_EQ(to_doubles(u4), (Doubles{8, 7, 15}));
}

TEST_F(Npy, EveryVersionIsRead) {
  for (const char version : {'\1', '\2', '\3'}) {
    const auto tensor = read(npy(header("<i2", "(2,)"), bytes<int16_t>({1, -2}), version));
    ASSERT_TRUE(tensor.ok()) << tensor.error().message;
    EXPECT_EQ(to_doubles(*tensor), (Doubles{1, -2}));
  }
  EXPECT_EQ(error(npy("", "", 4)), "version 4 of .npy is not known");
}

TEST_F(Npy, FortranOrderIsTurned) {
  const auto tensor = read(npy(header("<i4", "(2, 3)", true), bytes<int32_t>({1, 4, 2, 5, 3, 6})));
  ASSERT_TRUE(tensor.ok()) << tensor.error().message;
  EXPECT_EQ(tensor->shape(), (Shape{2, 3}));
  EXPECT_EQ(to_doubles(*tensor), (Doubles{1, 2, 3, 4, 5, 6}));
  const auto cube =
      read(npy(header("|u1", "(2, 2, 2)", true), bytes<uint8_t>({0, 4, 2, 6, 1, 5, 3, 7})));
  EXPECT_EQ(to_doubles(*cube), (Doubles{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(Npy, BytesAndUnicodeBecomeStrings) {
  const auto text = read(npy(header("|S3", "(2,)"), std::string("ab\0cde", 6)));
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_EQ(text->data<std::string>()[0], "ab");
  EXPECT_EQ(text->data<std::string>()[1], "cde");
  const auto unicode = read(npy(header("<U2", "(1,)"), bytes<uint32_t>({0xE9, 0})));
  EXPECT_EQ(unicode->data<std::string>()[0], "\u00e9");
}

TEST_F(Npy, AnyByteButZeroIsTrue) {
  const auto tensor = read(npy(header("|b1", "(2,)"), std::string("\x00\x09", 2)));
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(to_doubles(*tensor), (Doubles{0, 1}));
}

TEST_F(Npy, HeadersOfOtherWritersAreRead) {
  EXPECT_EQ(error(npy("{\"shape\": (2L,), 'fortran_order':False,\"descr\":'|u1'}", "ab")), "ok");
  EXPECT_EQ(error(npy("{'descr': '<u1', 'fortran_order': False, 'shape': ()}", "a")), "ok");
}

TEST_F(Npy, TypesHoneDoesNotHaveAreRefused) {
  EXPECT_EQ(error(npy(header(">f4", "()"), "abcd")),
            "big-endian element type '>f4' is not supported");
  for (const char* descr : {"<c8", "|O", "<M8[ns]", "<f16", "|V8", "", "<f4x"}) {
    EXPECT_EQ(error(npy(header(descr, "()"), "abcdefgh")),
              str("element type '", descr, "' is not supported"));
  }
  EXPECT_EQ(error(npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': ()}", "abcd")),
            "structured arrays are not supported");
}

TEST_F(Npy, WrongAmountsOfDataAreRefused) {
  EXPECT_EQ(error(npy(header("<f4", "(2,)"), "abcd")),
            "holds 4 bytes of data, expected 8 for f32[2]");
  EXPECT_EQ(error(npy(header("<f4", "(1,)"), "abcdefgh")),
            "holds 8 bytes of data, expected 4 for f32[1]");
  EXPECT_EQ(error(npy(header("<U9", "(2,)"), "abcd")), "does not hold 2 strings of 9 characters");
  EXPECT_EQ(error(npy(header("<U0", "(2000000000,)"), "")), "claims 2000000000 empty strings");
  EXPECT_NE(error(npy(header("<f4", "(4294967296, 4294967296)"), "")).find("claims more than"),
            std::string::npos);
}

TEST_F(Npy, DamagedFilesAreRefusedAndNeverCrash) {
  EXPECT_EQ(error("hello"), "not a .npy file");
  EXPECT_EQ(error(npy("{'descr': '<f4'}", "")), "header lacks descr, fortran_order or shape");
  EXPECT_EQ(error(npy("{'x': 1}", "")), "header has an unknown key 'x'");
  EXPECT_EQ(error(npy(header("<f4", "(-1,)"), "")),
            "header has '-1,), }\n' where an extent is expected");
  const std::string file = npy(header("<U1", "(2, 1)", true), bytes<uint32_t>({65, 66}));
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(read(file.substr(0, size)).ok()) << size;
  }
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    static_cast<void>(read(flipped));
  }
}

TEST_F(Npy, StringsThatNpyCannotKeepAreRefused) {
  EXPECT_FALSE(write_npy(Tensor::of<std::string>({1}, {"\xff"}), path_).ok());
  EXPECT_FALSE(write_npy(Tensor::of<std::string>({1}, {std::string("a\0", 2)}), path_).ok());
}

}  // namespace
}  // namespace hone
