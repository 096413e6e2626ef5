// For the tests of onnx_*.cc: messages written by hand, so that the tests do not share the schema
// with the code they test, and comparison of models.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/file.h"
#include "hone/wire/onnx.h"

namespace hone {

inline std::string varint(uint64_t value) {
  std::string text;
  for (; value >= 128; value >>= 7) text += static_cast<char>(value % 128 + 128);
  return text + static_cast<char>(value);
}

// One field of a protobuf message: a number, or bytes.
inline std::string field(int number, int64_t value) {
  return varint(static_cast<uint64_t>(number) << 3) + varint(static_cast<uint64_t>(value));
}
inline std::string field(int number, std::string_view bytes) {
  return varint(static_cast<uint64_t>(number) << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
inline std::string field(int number, const char* text) {
  return field(number, std::string_view(text));
}

// Packed numbers: fixed width for float and double, varints for integers.
template <class T>
std::string packed(int number, const std::vector<T>& values) {
  std::string bytes;
  for (const T value : values) {
    if constexpr (std::is_floating_point_v<T>) {
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      bytes += varint(static_cast<uint64_t>(value));
    }
  }
  return field(number, bytes);
}

template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// A TensorProto: dims, element type and more fields.
inline std::string tensor_message(const std::vector<int64_t>& dims, int64_t type,
                                  const std::string& rest) {
  std::string text;
  for (const int64_t dim : dims) text += field(1, dim);
  return text + field(2, type) + rest;
}

// A ModelProto of IR version 8 and opset 17 around the fields of a graph.
inline std::string model_message(const std::string& graph) {
  return field(1, 8) + field(7, graph) + field(8, field(2, 17));
}

inline Result<OnnxModel> read_text(std::string_view text,
                                   const std::filesystem::path& folder = {}) {
  return read_onnx_bytes(std::as_bytes(std::span(text)), folder);
}

// The one initializer 'w' of a model that holds this TensorProto.
inline Result<Tensor> read_initializer(const std::string& tensor,
                                       const std::filesystem::path& folder = {}) {
  HONE_TRY(const OnnxModel model,
           read_text(model_message(field(5, tensor + field(8, "w"))), folder));
  return model.graph.initializers.at(0).second;
}

template <class T>
std::string message_of(const Result<T>& result) {
  return result.ok() ? "ok" : result.error().message;
}

// A folder of its own that goes away with the object.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "hone_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() { std::filesystem::remove_all(path_); }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void write_text(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline void expect_same(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.type(), b.type());
  if (a.dtype() == DType::String) {
    for (size_t i = 0; i < a.data<std::string>().size(); ++i) {
      EXPECT_EQ(a.data<std::string>()[i], b.data<std::string>()[i]);
    }
  } else if (a.dtype() != DType::Undefined) {
    EXPECT_TRUE(std::ranges::equal(a.bytes(), b.bytes()));
  }
}

inline void expect_same(const OnnxType& a, const OnnxType& b) {
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.sequence, b.sequence);
  EXPECT_EQ(a.optional, b.optional);
  ASSERT_EQ(a.shape.has_value(), b.shape.has_value());
  if (!a.shape) return;
  ASSERT_EQ(a.shape->size(), b.shape->size());
  for (size_t i = 0; i < a.shape->size(); ++i) {
    EXPECT_EQ((*a.shape)[i].value, (*b.shape)[i].value);
    EXPECT_EQ((*a.shape)[i].name, (*b.shape)[i].name);
  }
}

void expect_same(const OnnxGraph& a, const OnnxGraph& b);

inline void expect_same(const std::shared_ptr<OnnxGraph>& a, const std::shared_ptr<OnnxGraph>& b) {
  ASSERT_EQ(a == nullptr, b == nullptr);
  if (a) expect_same(*a, *b);
}

template <class T>
void expect_same(const T& a, const T& b) {
  EXPECT_EQ(a, b);
}

template <class T>
requires(std::is_same_v<T, Tensor> ||
         std::is_same_v<T, std::shared_ptr<OnnxGraph>>) void expect_same(const std::vector<T>& a,
                                                                         const std::vector<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

inline void expect_same(const std::map<std::string, OnnxAttr>& a,
                        const std::map<std::string, OnnxAttr>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, attr] : a) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(b.contains(name));
    const OnnxAttr& other = b.at(name);
    EXPECT_EQ(attr.refers_to, other.refers_to);
    ASSERT_EQ(attr.value.index(), other.value.index());
    std::visit(
        [&](const auto& value) {
          expect_same(value, std::get<std::decay_t<decltype(value)>>(other.value));
        },
        attr.value);
  }
}

inline void expect_same(const std::vector<OnnxNode>& a, const std::vector<OnnxNode>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].op_type, b[i].op_type);
    EXPECT_EQ(a[i].domain, b[i].domain);
    EXPECT_EQ(a[i].inputs, b[i].inputs);
    EXPECT_EQ(a[i].outputs, b[i].outputs);
    EXPECT_EQ(a[i].metadata, b[i].metadata);
    expect_same(a[i].attrs, b[i].attrs);
  }
}

inline void expect_same(const std::vector<OnnxValueInfo>& a, const std::vector<OnnxValueInfo>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    ASSERT_EQ(a[i].type.has_value(), b[i].type.has_value());
    if (a[i].type) expect_same(*a[i].type, *b[i].type);
  }
}

inline void expect_same(const OnnxGraph& a, const OnnxGraph& b) {
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.initializers.size(), b.initializers.size());
  for (size_t i = 0; i < a.initializers.size(); ++i) {
    EXPECT_EQ(a.initializers[i].first, b.initializers[i].first);
    expect_same(a.initializers[i].second, b.initializers[i].second);
  }
  expect_same(a.inputs, b.inputs);
  expect_same(a.outputs, b.outputs);
  expect_same(a.value_infos, b.value_infos);
  expect_same(a.nodes, b.nodes);
}

inline void expect_same(const OnnxModel& a, const OnnxModel& b) {
  EXPECT_EQ(a.ir_version, b.ir_version);
  EXPECT_EQ(a.producer_name, b.producer_name);
  EXPECT_EQ(a.producer_version, b.producer_version);
  EXPECT_EQ(a.opsets, b.opsets);
  EXPECT_EQ(a.metadata, b.metadata);
  expect_same(a.graph, b.graph);
  ASSERT_EQ(a.functions.size(), b.functions.size());
  for (size_t i = 0; i < a.functions.size(); ++i) {
    EXPECT_EQ(a.functions[i].name, b.functions[i].name);
    EXPECT_EQ(a.functions[i].domain, b.functions[i].domain);
    EXPECT_EQ(a.functions[i].inputs, b.functions[i].inputs);
    EXPECT_EQ(a.functions[i].outputs, b.functions[i].outputs);
    EXPECT_EQ(a.functions[i].attrs, b.functions[i].attrs);
    EXPECT_EQ(a.functions[i].opsets, b.functions[i].opsets);
    expect_same(a.functions[i].defaults, b.functions[i].defaults);
    expect_same(a.functions[i].nodes, b.functions[i].nodes);
  }
}

// A model with every kind of attribute, every element type, graphs in graphs and a function.
inline OnnxModel model_of_everything() {
  OnnxGraph branch{.name = "branch",
                   .nodes = {},
                   .initializers = {},
                   .inputs = {},
                   .outputs = {},
                   .value_infos = {}};
  branch.initializers.emplace_back("two", Tensor::scalar<float>(2));
  branch.outputs.push_back({"two", OnnxType{.dtype = DType::F32, .shape = std::vector<OnnxDim>()}});
  const auto shared_branch = std::make_shared<OnnxGraph>(branch);

  OnnxNode node;
  node.name = "n";
  node.op_type = "Everything";
  node.domain = "test";
  node.inputs = {"x", "", "w"};
  node.outputs = {"y", ""};
  node.metadata = {{"source", "layer 7"}};
  const OnnxType optional_type{
      .dtype = DType::I64, .shape = {}, .sequence = true, .optional = true};
  node.attrs = {
      {"int", {int64_t{-3}, ""}},
      {"float", {1.5f, ""}},
      {"string", {std::string("a\0b\xff", 4), ""}},
      {"tensor", {Tensor::of<int64_t>({2}, {1, -1}), ""}},
      {"graph", {shared_branch, ""}},
      {"type", {optional_type, ""}},
      {"ints", {std::vector<int64_t>{1, INT64_MIN}, ""}},
      {"floats", {std::vector<float>{0.5f, -0.f}, ""}},
      {"strings", {std::vector<std::string>{"", "b"}, ""}},
      {"tensors", {std::vector<Tensor>{Tensor::scalar<float>(1), Tensor::of_ints({})}, ""}},
      {"graphs", {std::vector<std::shared_ptr<OnnxGraph>>{shared_branch, shared_branch}, ""}},
      {"no_ints", {std::vector<int64_t>{}, ""}},
  };

  OnnxModel model;
  model.ir_version = 10;
  model.producer_name = "hone";
  model.producer_version = "1";
  model.opsets = {{"", 21}, {"test", 1}};
  model.metadata = {{"author", "me"}, {"empty", ""}};
  model.graph.name = "main";
  model.graph.nodes = {node};
  const OnnxType input{.dtype = DType::F32,
                       .shape = {{{kUnknown, "batch"}, {3, ""}, {kUnknown, ""}}}};
  model.graph.inputs = {{"x", input}, {"untyped", std::nullopt}};
  model.graph.outputs = {{"y", OnnxType{.dtype = DType::BF16, .shape = {}}}};
  model.graph.value_infos = {
      {"s", OnnxType{.dtype = DType::String, .shape = {}, .sequence = true}}};
  for (int i = 1; i < kDTypes; ++i) {
    Tensor tensor(TensorType{static_cast<DType>(i), {3, 1}});
    if (tensor.dtype() == DType::String) {
      tensor.mutable_data<std::string>()[1] = "text";
    } else {
      tensor.mutable_bytes()[0] = std::byte{1};
    }
    model.graph.initializers.emplace_back(str("w_", tensor.dtype()), tensor);
  }

  OnnxFunction function;
  function.name = "Everything";
  function.domain = "test";
  function.inputs = {"a"};
  function.outputs = {"b"};
  function.attrs = {"alpha"};
  function.defaults = {{"beta", {0.25f, ""}}};
  function.opsets = {{"", 21}};
  OnnxNode inner;
  inner.op_type = "Elu";
  inner.inputs = {"a"};
  inner.outputs = {"b"};
  inner.attrs = {{"alpha", {0.f, "alpha"}}, {"t", {Tensor(), "alpha"}}};
  function.nodes = {inner};
  model.functions = {function};
  return model;
}

}  // namespace hone
