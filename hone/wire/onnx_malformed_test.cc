#include <gtest/gtest.h>

#include "hone/base/printable.h"
#include "hone/wire/onnx.h"
#include "hone/wire/onnx_test_util.h"

namespace hone {
namespace {

TEST(OnnxMalformed, WhatIsNotAModelSaysSo) {
  for (const std::string_view text : {"hello, world", "\xff\xff\xff\xff", "\x0b\x0c", "\x3a\x05"}) {
    const auto model = read_text(text);
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.error().kind, ErrorKind::BadInput);
    EXPECT_EQ(model.error().message.find("not an ONNX model: "), 0u) << model.error().message;
  }
}

TEST(OnnxMalformed, AModelNeedsAGraphButTheGraphNoNodes) {
  EXPECT_EQ(message_of(read_text("")), "not an ONNX model: holds no graph");
  EXPECT_EQ(message_of(read_text(field(1, 8))), "not an ONNX model: holds no graph");
  EXPECT_TRUE(read_text(model_message("")).ok());
}

// `depth` bodies of If in each other.
std::string nested_ifs(int depth) {
  std::string graph = field(1, field(2, "y") + field(4, "Relu"));
  for (int i = 0; i < depth; ++i) {
    const std::string branch = field(1, "then_branch") + field(6, graph) + field(20, 5);
    graph = field(1, field(2, "y") + field(3, "n") + field(4, "If") + field(5, branch));
  }
  return model_message(graph);
}

TEST(OnnxMalformed, GraphsThatAreTooDeepAreNoDamage) {
  EXPECT_TRUE(read_text(nested_ifs(32)).ok());
  EXPECT_EQ(message_of(read_text(nested_ifs(60))),
            "node 'n' (If) has graphs 60 deep in each other, expected at most 32");
}

TEST(OnnxMalformed, FilesAreNamedInFront) {
  const TempFolder folder;
  const std::string path = (folder / "m.onnx").string();
  EXPECT_EQ(message_of(read_onnx(path)), path + ": no such file");
  write_text(path, "");
  EXPECT_EQ(message_of(read_onnx(path)), path + ": not an ONNX model: holds no graph");
  EXPECT_EQ(message_of(read_onnx(folder.path())), folder.path().string() + ": not a regular file");
}

TEST(OnnxMalformed, EveryPrefixOfAModelIsRefusedUpToTheEndOfTheGraph) {
  const std::string bytes = *write_onnx_bytes(model_of_everything());
  // Fields are written in the order of their numbers, and the opsets follow the graph.
  const size_t graph_end = bytes.find(std::string_view("\x42\x04\x0a\x00\x10\x15", 6));
  ASSERT_NE(graph_end, std::string::npos);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto model = read_text(std::string_view(bytes).substr(0, size));
    if (size <= graph_end) {
      ASSERT_FALSE(model.ok()) << size;
    }
  }
}

TEST(OnnxMalformed, EveryPrefixOfAFileIsRefusedLikeItsBytes) {
  const TempFolder folder;
  const std::string bytes = *write_onnx_bytes(model_of_everything());
  for (size_t size = 0; size < bytes.size(); size += 37) {
    const std::string prefix = bytes.substr(0, size);
    write_text(folder / "m.onnx", prefix);
    EXPECT_EQ(read_onnx(folder / "m.onnx").ok(), read_text(prefix).ok()) << size;
  }
}

TEST(OnnxMalformed, FlippedBitsNeverCrashTheReader) {
  const std::string bytes = *write_onnx_bytes(model_of_everything());
  int read = 0;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const auto model = read_text(flipped);
    if (!model.ok()) {
      EXPECT_EQ(printable(model.error().message).find('\n'), std::string::npos)
          << model.error().message;
      continue;
    }
    ++read;
    EXPECT_TRUE(write_onnx_bytes(*model).ok());
  }
  EXPECT_GT(read, 0);
}

TEST(OnnxMalformed, SizesBeyondTheFileAreRefusedBeforeMemoryIsTaken) {
  // Each of them claims 2 GB.
  const std::string size = varint(0x7fffffff);
  const auto claim = [&](int number) {
    return varint(static_cast<uint64_t>(number) << 3 | 2) + size;
  };
  EXPECT_FALSE(read_text(claim(7)).ok());
  EXPECT_FALSE(read_text(claim(2)).ok());
  EXPECT_FALSE(read_text(model_message(claim(5))).ok());
  EXPECT_FALSE(read_text(model_message(field(5, claim(9)))).ok());
  EXPECT_FALSE(read_text(model_message(field(5, claim(4)))).ok());
  EXPECT_FALSE(read_text(model_message(field(1, claim(5)))).ok());
}

TEST(OnnxMalformed, GraphsNestedTooDeepAreRefused) {
  std::string graph;
  for (int depth = 0; depth < 60; ++depth) {
    const std::string attr = field(1, "body") + field(20, 5) + field(6, graph);
    graph = field(1, field(5, attr));
  }
  EXPECT_FALSE(read_text(model_message(graph)).ok());
}

TEST(OnnxMalformed, UnknownFieldsAreSkipped) {
  const std::string unknown = field(99, 1) + field(98, "text");
  EXPECT_TRUE(
      read_text(model_message(unknown + field(1, unknown) + field(11, unknown)) + unknown).ok());
}

}  // namespace
}  // namespace hone
