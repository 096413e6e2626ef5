// Reads all that Debian's libonnx-testdata has: the standard's own models and values.

#include <gtest/gtest.h>

#include <algorithm>

#include "hone/wire/onnx.h"
#include "hone/wire/onnx_test_util.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

const fs::path kData = "/usr/share/libonnx-testdata/data";

std::vector<fs::path> models() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(kData)) {
    if (entry.path().extension() == ".onnx") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

TEST(OnnxTestdata, EveryModelIsReadAndWrittenBack) {
  if (!fs::exists(kData)) GTEST_SKIP() << "libonnx-testdata is not installed";
  for (const fs::path& path : models()) {
    SCOPED_TRACE(path.string());
    const auto model = read_onnx(path);
    if (!model.ok()) {
      ADD_FAILURE() << message_of(model);
      continue;
    }
    const auto bytes = write_onnx_bytes(*model);
    ASSERT_TRUE(bytes.ok()) << message_of(bytes);
    const auto again = read_text(*bytes);
    ASSERT_TRUE(again.ok()) << message_of(again);
    expect_same(*model, *again);
  }
}

// The values beside a model: input_0.pb belongs to the first input, and so on.
void read_items(const fs::path& folder, const char* prefix,
                const std::vector<OnnxValueInfo>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const fs::path path = folder / str(prefix, i, ".pb");
    if (!fs::exists(path)) continue;
    ASSERT_TRUE(values[i].type.has_value());
    const OnnxType& type = *values[i].type;
    const auto item = read_onnx_item(path, type);
    ASSERT_TRUE(item.ok()) << message_of(item);
    EXPECT_TRUE(type.optional || item->is_sequence() == type.sequence);
    EXPECT_TRUE(!item->is_tensor() || item->tensor.dtype() == type.dtype);
  }
}

TEST(OnnxTestdata, EveryValueIsRead) {
  if (!fs::exists(kData)) GTEST_SKIP() << "libonnx-testdata is not installed";
  for (const fs::path& path : models()) {
    SCOPED_TRACE(path.string());
    const auto model = read_onnx(path);
    if (!model.ok()) continue;
    for (const auto& entry : fs::directory_iterator(path.parent_path())) {
      if (!entry.is_directory()) continue;
      read_items(entry.path(), "input_", model->graph.inputs);
      read_items(entry.path(), "output_", model->graph.outputs);
    }
  }
}

Result<Item> read_value(const TempFolder& folder, const std::string& message,
                        const OnnxType& type) {
  write_text(folder / "v.pb", message);
  return read_onnx_item(folder / "v.pb", type);
}

TEST(OnnxItem, HoldsATensorASequenceOrNothing) {
  const TempFolder folder;
  const std::string tensor = tensor_message({1}, 1, packed<float>(4, {2}));
  const std::string sequence = field(2, 1) + field(3, tensor) + field(3, tensor);
  const OnnxType plain{.dtype = DType::F32, .shape = {}};
  OnnxType list = plain;
  list.sequence = true;
  OnnxType maybe = plain;
  maybe.optional = true;

  EXPECT_TRUE(read_value(folder, tensor, plain)->is_tensor());
  EXPECT_EQ(read_value(folder, sequence, list)->sequence.size(), 2u);
  EXPECT_TRUE(read_value(folder, "", list)->is_sequence());
  EXPECT_TRUE(read_value(folder, field(2, 1) + field(3, tensor), maybe)->is_tensor());
  EXPECT_TRUE(read_value(folder, field(2, 3) + field(5, sequence), maybe)->is_sequence());
  EXPECT_TRUE(read_value(folder, field(2, int64_t{0}), maybe)->absent());
}

TEST(OnnxItem, WhatIsNotAValueSaysSo) {
  const TempFolder folder;
  const OnnxType type{.dtype = DType::F32, .shape = {}};
  EXPECT_EQ(message_of(read_value(folder, "hello", type)),
            (folder / "v.pb").string() + ": not an ONNX tensor");
  EXPECT_EQ(message_of(read_value(folder, "", type)),
            (folder / "v.pb").string() + ": has no element type");
}

}  // namespace
}  // namespace hone
