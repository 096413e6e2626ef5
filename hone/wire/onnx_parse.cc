// Bytes -> messages -> structs, for models and for the single values of the backend tests.
//
// The wire format of model, graph and initializer is read here and not by the generated code, for
// one reason: that code reads a string of more than 50 MB by growing it, so that the biggest weight
// is for a moment held twice. Here each initializer goes straight into memory of its final size.
// Everything else (nodes, types, functions) is left to protobuf.

#include <fcntl.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <utility>

#include "hone/wire/onnx_proto.h"

namespace hone {
namespace fs = std::filesystem;
namespace io = google::protobuf::io;

namespace {

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr uint32_t tag_of(int field, WireType type) {
  return static_cast<uint32_t>(field) << 3 | type;
}

// Graphs in graphs: bodies of If, Loop and Scan. Each is a message in a message in a message, and what
// is read in turn walks them as deep; protobuf itself would call a deeper file damaged.
constexpr int kDeepestGraph = 32;
constexpr int kDeepestMessage = 1000;

int depth_of_graphs(const pb::NodeProto& node);

int depth_of_graphs(const pb::GraphProto& graph) {
  int depth = 0;
  for (const pb::NodeProto& node : graph.node()) depth = std::max(depth, depth_of_graphs(node));
  return depth + 1;
}

int depth_of_graphs(const pb::NodeProto& node) {
  int depth = 0;
  for (const pb::AttributeProto& attr : node.attribute()) {
    if (attr.has_g()) depth = std::max(depth, depth_of_graphs(attr.g()));
    for (const auto& graph : attr.graphs()) depth = std::max(depth, depth_of_graphs(graph));
  }
  return depth;
}

Status check_depth(const pb::NodeProto& node) {
  const int depth = depth_of_graphs(node);
  if (depth <= kDeepestGraph) return Done{};
  const bool named = !node.name().empty() || node.output_size() == 0;
  return unsupported("node '", named ? node.name() : node.output(0), "' (", node.op_type(),
                     ") has graphs ", depth, " deep in each other, expected at most ",
                     kDeepestGraph);
}

class ModelReader {
 public:
  ModelReader(io::ZeroCopyInputStream& stream, int size, OnnxSource& source)
      : in_(&stream), source_(source) {
    in_.PushLimit(size);
    in_.SetRecursionLimit(kDeepestMessage);
  }

  Result<OnnxModel> read();

 private:
  Status read_graph(OnnxGraph& graph);
  Status read_initializer(OnnxGraph& graph);

  template <class Fn>
  Status each_field(Fn&& take);
  template <class Fn>
  Status nested(Fn&& read);
  Status copy_field(uint32_t tag, io::CodedOutputStream& out);
  Status append_bytes(SharedBytes& bytes);
  Error broken() {
    return bad_input("not an ONNX model: broken off or damaged at byte ", in_.CurrentPosition());
  }

  io::CodedInputStream in_;
  OnnxSource& source_;
};

// Calls take(tag) for each field of the message that ends at the current limit.
template <class Fn>
Status ModelReader::each_field(Fn&& take) {
  while (const uint32_t tag = in_.ReadTag()) HONE_RETURN_IF_ERROR(take(tag));
  if (!in_.ConsumedEntireMessage() || in_.BytesUntilLimit() != 0) return broken();
  return Done{};
}

// Calls read() with the limit at the end of the nested message that starts here.
template <class Fn>
Status ModelReader::nested(Fn&& read) {
  int size = 0;
  // PushLimit would silently cut a size that passes the outer limit.
  if (!in_.ReadVarintSizeAsInt(&size) || size > in_.BytesUntilLimit()) return broken();
  const auto outer = in_.PushLimit(size);
  HONE_RETURN_IF_ERROR(read());
  in_.PopLimit(outer);
  return Done{};
}

Status ModelReader::copy_field(uint32_t tag, io::CodedOutputStream& out) {
  out.WriteTag(tag);
  uint64_t number = 0;
  uint32_t small = 0;
  int size = 0;
  std::string text;
  switch (tag & 7) {
    case kVarint:
      if (!in_.ReadVarint64(&number)) return broken();
      out.WriteVarint64(number);
      return Done{};
    case kFixed64:
      if (!in_.ReadLittleEndian64(&number)) return broken();
      out.WriteLittleEndian64(number);
      return Done{};
    case kFixed32:
      if (!in_.ReadLittleEndian32(&small)) return broken();
      out.WriteLittleEndian32(small);
      return Done{};
    case kBytes:
      if (!in_.ReadVarintSizeAsInt(&size) || size > in_.BytesUntilLimit()) return broken();
      if (!in_.ReadString(&text, size)) return broken();
      out.WriteVarint32(static_cast<uint32_t>(size));
      out.WriteString(text);
      return Done{};
    default:
      return broken();
  }
}

// Reads a field of bytes into memory of just its size, behind what an earlier one left there.
Status ModelReader::append_bytes(SharedBytes& bytes) {
  int size = 0;
  if (!in_.ReadVarintSizeAsInt(&size) || size > in_.BytesUntilLimit()) return broken();
  const size_t before = bytes.bytes.size();
  const size_t after = before + static_cast<size_t>(size);
  auto buffer = std::make_shared_for_overwrite<std::byte[]>(after + 1);
  if (before != 0) std::memcpy(buffer.get(), bytes.bytes.data(), before);
  if (!in_.ReadRaw(buffer.get() + before, size)) return broken();
  bytes.bytes = {buffer.get(), after};
  bytes.owner = std::move(buffer);
  return Done{};
}

Status ModelReader::read_initializer(OnnxGraph& graph) {
  using Proto = pb::TensorProto;
  std::string rest;
  SharedBytes raw, floats, doubles;
  {
    io::StringOutputStream rest_stream(&rest);
    io::CodedOutputStream out(&rest_stream);
    HONE_RETURN_IF_ERROR(each_field([&](uint32_t tag) -> Status {
      switch (tag) {
        case tag_of(Proto::kRawDataFieldNumber, kBytes):
          raw = {};
          return append_bytes(raw);
        // Packed floats are the same bytes as raw ones.
        case tag_of(Proto::kFloatDataFieldNumber, kBytes):
          return append_bytes(floats);
        case tag_of(Proto::kDoubleDataFieldNumber, kBytes):
          return append_bytes(doubles);
        default:
          return copy_field(tag, out);
      }
    }));
  }
  Proto proto;
  if (!proto.ParseFromString(rest)) return broken();
  if (raw.bytes.empty() && proto.data_type() == Proto::FLOAT) raw = std::move(floats);
  if (raw.bytes.empty() && proto.data_type() == Proto::DOUBLE) raw = std::move(doubles);
  HONE_TRY(Tensor tensor, tensor_from_proto(proto, std::move(raw), source_)
                              .in(str("initializer '", proto.name(), "'")));
  graph.initializers.emplace_back(proto.name(), std::move(tensor));
  return Done{};
}

Status ModelReader::read_graph(OnnxGraph& graph) {
  using Proto = pb::GraphProto;
  Proto proto;
  std::string rest;
  {
    io::StringOutputStream rest_stream(&rest);
    io::CodedOutputStream out(&rest_stream);
    HONE_RETURN_IF_ERROR(each_field([&](uint32_t tag) -> Status {
      switch (tag) {
        case tag_of(Proto::kInitializerFieldNumber, kBytes):
          return nested([&] { return read_initializer(graph); });
        // Not copied: a node can be big, with constants and graphs in it.
        case tag_of(Proto::kNodeFieldNumber, kBytes):
          return nested([&]() -> Status {
            if (!proto.add_node()->MergePartialFromCodedStream(&in_)) return broken();
            if (!in_.ConsumedEntireMessage() || in_.BytesUntilLimit() != 0) return broken();
            return check_depth(proto.node(proto.node_size() - 1));
          });
        default:
          return copy_field(tag, out);
      }
    }));
  }
  if (!proto.MergeFromString(rest)) return broken();
  return graph_from_proto(proto, source_, graph);
}

Result<OnnxModel> ModelReader::read() {
  using Proto = pb::ModelProto;
  OnnxModel model;
  bool has_graph = false;
  std::string rest;
  {
    io::StringOutputStream rest_stream(&rest);
    io::CodedOutputStream out(&rest_stream);
    HONE_RETURN_IF_ERROR(each_field([&](uint32_t tag) -> Status {
      if (tag != tag_of(Proto::kGraphFieldNumber, kBytes)) return copy_field(tag, out);
      if (has_graph) return bad_input("not an ONNX model: holds two graphs");
      has_graph = true;
      return nested([&] { return read_graph(model.graph); });
    }));
  }
  Proto proto;
  if (!proto.ParseFromString(rest)) return broken();
  if (!has_graph) return bad_input("not an ONNX model: holds no graph");
  HONE_RETURN_IF_ERROR(model_from_proto(proto, source_, model));
  return model;
}

// Runs `read`, which calls protobuf, and turns what protobuf throws into an error.
template <class Fn>
auto guarded(Fn&& read) -> decltype(read()) {
  silence_protobuf();
  try {
    return read();
  } catch (const std::bad_alloc&) {
    return out_of_resource("not enough memory");
  } catch (const std::exception& e) {
    return bad_input("not an ONNX file: ", e.what());
  }
}

// The size of a file that protobuf can read.
Result<int> size_of_message(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return bad_input("no such file");
  if (!fs::is_regular_file(path, error)) return bad_input("not a regular file");
  const uintmax_t size = fs::file_size(path, error);
  if (error) return bad_input(error.message());
  if (size > INT_MAX) {
    return bad_input("holds ", size,
                     " bytes, more than the 2 GB of an ONNX file; weights of bigger",
                     " models are in external data");
  }
  return static_cast<int>(size);
}

// Calls read(stream, size) for the file.
template <class Fn>
auto with_file(const fs::path& path, Fn&& read)
    -> decltype(read(std::declval<io::FileInputStream&>(), 0)) {
  HONE_TRY(const int size, size_of_message(path));
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return bad_input(std::strerror(errno));
  io::FileInputStream stream(file, 1 << 20);
  stream.SetCloseOnDelete(true);
  return guarded([&] { return read(stream, size); });
}

template <class Proto>
Result<Proto> parsed(io::ZeroCopyInputStream& stream, const char* what) {
  Proto proto;
  if (!proto.ParseFromZeroCopyStream(&stream)) return bad_input("not an ONNX ", what);
  return proto;
}

Result<Item> sequence_item(pb::SequenceProto& proto, OnnxSource& source) {
  if (proto.sparse_tensor_values_size() + proto.sequence_values_size() +
          proto.optional_values_size() !=
      0) {
    return unsupported("only sequences of tensors are supported");
  }
  std::vector<Tensor> tensors;
  for (pb::TensorProto& value : *proto.mutable_tensor_values()) {
    HONE_TRY(Tensor tensor, tensor_from_proto(value, source));
    tensors.push_back(std::move(tensor));
  }
  return Item(std::move(tensors));
}

Result<Item> optional_item(pb::OptionalProto& proto, OnnxSource& source) {
  if (proto.has_tensor_value()) {
    HONE_TRY(Tensor tensor, tensor_from_proto(*proto.mutable_tensor_value(), source));
    return Item(std::move(tensor));
  }
  if (proto.has_sequence_value()) return sequence_item(*proto.mutable_sequence_value(), source);
  if (proto.elem_type() == pb::SequenceProto::UNDEFINED) return Item();
  return unsupported("only optional tensors and sequences of tensors are supported");
}

Tensor as_bfloat16(const Tensor& bits) {
  Tensor tensor(TensorType{DType::BF16, bits.shape()});
  std::ranges::copy(bits.bytes(), tensor.mutable_bytes().begin());
  return tensor;
}

Result<Item> read_item(io::ZeroCopyInputStream& stream, const OnnxType& type, OnnxSource& source) {
  if (type.optional) {
    HONE_TRY(auto proto, parsed<pb::OptionalProto>(stream, "optional"));
    return optional_item(proto, source);
  }
  if (type.sequence) {
    HONE_TRY(auto proto, parsed<pb::SequenceProto>(stream, "sequence"));
    return sequence_item(proto, source);
  }
  HONE_TRY(auto proto, parsed<pb::TensorProto>(stream, "tensor"));
  HONE_TRY(Tensor tensor, tensor_from_proto(proto, source));
  // The backend tests of ONNX 1.12 and before were made by a NumPy without bfloat16 and call it
  // uint16.
  if (type.dtype == DType::BF16 && tensor.dtype() == DType::U16) tensor = as_bfloat16(tensor);
  return Item(std::move(tensor));
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

void silence_protobuf() {
  // Once and for good: changing the handler is not safe while another thread parses.
  static const auto old = google::protobuf::SetLogHandler(nullptr);
  static_cast<void>(old);
}

Result<OnnxModel> read_onnx(const fs::path& path) {
  OnnxSource source{.folder = folder_of(path)};
  return with_file(path, [&](io::FileInputStream& stream,
                             int size) { return ModelReader(stream, size, source).read(); })
      .in(path.string());
}

Result<OnnxModel> read_onnx_bytes(std::span<const std::byte> bytes, const fs::path& folder) {
  if (bytes.size() > INT_MAX) return bad_input("more than the 2 GB of an ONNX file");
  OnnxSource source{.folder = folder};
  const auto size = static_cast<int>(bytes.size());
  io::ArrayInputStream stream(bytes.data(), size);
  return guarded([&] { return ModelReader(stream, size, source).read(); });
}

Result<Item> read_onnx_item(const fs::path& path, const OnnxType& type) {
  OnnxSource source{.folder = folder_of(path)};
  return with_file(path, [&](io::FileInputStream& stream,
                             int) { return read_item(stream, type, source); })
      .in(path.string());
}

}  // namespace hone
