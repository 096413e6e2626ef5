// Plain structs -> messages -> bytes.

#include "hone/wire/onnx_write.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <climits>
#include <type_traits>
#include <utility>
#include <variant>

#include "hone/base/output_file.h"
#include "hone/wire/onnx_proto.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

using Attr = pb::AttributeProto;

// Below protobuf's 2 GB, with room for what is not weights.
constexpr uint64_t kLargestFile = 1'900'000'000;
constexpr uint64_t kSmallestExternal = 1024;
// For readers that map the file into memory.
constexpr uint64_t kExternalAlignment = 64;

template <class... Fns>
struct Overloaded : Fns... {
  using Fns::operator()...;
};
template <class... Fns>
Overloaded(Fns...) -> Overloaded<Fns...>;

uint64_t tensor_bytes(const OnnxGraph& graph);

uint64_t tensor_bytes(const OnnxAttrValue& value) {
  return std::visit(
      Overloaded{
          [](const Tensor& tensor) -> uint64_t { return tensor.bytes().size(); },
          [](const std::vector<Tensor>& tensors) {
            uint64_t total = 0;
            for (const Tensor& tensor : tensors) total += tensor.bytes().size();
            return total;
          },
          [](const std::shared_ptr<OnnxGraph>& graph) { return graph ? tensor_bytes(*graph) : 0; },
          [](const std::vector<std::shared_ptr<OnnxGraph>>& graphs) {
            uint64_t total = 0;
            for (const auto& graph : graphs) total += graph ? tensor_bytes(*graph) : 0;
            return total;
          },
          [](const auto&) -> uint64_t { return 0; },
      },
      value);
}

uint64_t tensor_bytes(const OnnxGraph& graph) {
  uint64_t total = 0;
  for (const auto& [name, tensor] : graph.initializers) total += tensor.bytes().size();
  for (const OnnxNode& node : graph.nodes) {
    for (const auto& [name, attr] : node.attrs) total += tensor_bytes(attr.value);
  }
  return total;
}

template <class Entries>
void set_entries(const std::map<std::string, std::string>& map, Entries& entries) {
  for (const auto& [key, value] : map) {
    pb::StringStringEntryProto& entry = *entries.Add();
    entry.set_key(key);
    entry.set_value(value);
  }
}

template <class Imports>
void set_opsets(const std::map<std::string, int64_t>& opsets, Imports& imports) {
  for (const auto& [domain, version] : opsets) {
    pb::OperatorSetIdProto& import = *imports.Add();
    import.set_domain(domain);
    import.set_version(version);
  }
}

template <class Strings>
void set_strings(const std::vector<std::string>& from, Strings& to) {
  to.Assign(from.begin(), from.end());
}

void set_type(const OnnxType& type, pb::TypeProto& proto) {
  pb::TypeProto* inner = &proto;
  if (type.optional) inner = inner->mutable_optional_type()->mutable_elem_type();
  if (type.sequence) inner = inner->mutable_sequence_type()->mutable_elem_type();
  pb::TypeProto::Tensor& tensor = *inner->mutable_tensor_type();
  tensor.set_elem_type(static_cast<int>(dtype_to_onnx(type.dtype)));
  if (!type.shape) return;
  pb::TensorShapeProto& shape = *tensor.mutable_shape();
  for (const OnnxDim& dim : *type.shape) {
    pb::TensorShapeProto::Dimension& extent = *shape.add_dim();
    if (dim.value != kUnknown) {
      extent.set_dim_value(dim.value);
    } else if (!dim.name.empty()) {
      extent.set_dim_param(dim.name);
    }
  }
}

template <class Protos>
void set_value_infos(const std::vector<OnnxValueInfo>& infos, Protos& protos) {
  for (const OnnxValueInfo& info : infos) {
    pb::ValueInfoProto& proto = *protos.Add();
    proto.set_name(info.name);
    if (info.type) set_type(*info.type, *proto.mutable_type());
  }
}

// The file beside the model that takes the big tensors.
class ExternalData {
 public:
  static Result<ExternalData> open(const fs::path& path) {
    HONE_TRY(OutputFile file, OutputFile::open(path));
    return ExternalData(path.filename().string(), std::move(file));
  }

  Status add(const Tensor& tensor, pb::TensorProto& proto) {
    const uint64_t padding = (kExternalAlignment - size_ % kExternalAlignment) % kExternalAlignment;
    HONE_RETURN_IF_ERROR(file_.write(std::string(padding, '\0')));
    size_ += padding;
    const std::span<const std::byte> bytes = tensor.bytes();
    HONE_RETURN_IF_ERROR(file_.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    proto.set_data_location(pb::TensorProto::EXTERNAL);
    set_entries({{"location", location_},
                 {"offset", std::to_string(size_)},
                 {"length", std::to_string(bytes.size())}},
                *proto.mutable_external_data());
    size_ += bytes.size();
    return Done{};
  }

  Status finish() { return file_.finish(); }
  Status commit() { return file_.commit(); }

 private:
  ExternalData(std::string location, OutputFile file)
      : location_(std::move(location)), file_(std::move(file)) {}

  std::string location_;
  OutputFile file_;
  uint64_t size_ = 0;
};

class Writer {
 public:
  // Null: every tensor goes into the message.
  explicit Writer(ExternalData* external) : external_(external) {}

  Status set_model(const OnnxModel& model, pb::ModelProto& proto);

 private:
  Status set_graph(const OnnxGraph& graph, pb::GraphProto& proto);
  Status set_function(const OnnxFunction& function, pb::FunctionProto& proto);
  Status set_tensor(const Tensor& tensor, pb::TensorProto& proto);
  Status set_graph_of(const std::shared_ptr<OnnxGraph>& graph, pb::GraphProto& proto);
  Status set_value(const OnnxAttrValue& value, Attr& proto);
  Status set_attr(const std::string& name, const OnnxAttr& attr, Attr& proto);
  template <class Protos>
  Status set_nodes(const std::vector<OnnxNode>& nodes, Protos& protos);

  ExternalData* external_;
};

Status Writer::set_tensor(const Tensor& tensor, pb::TensorProto& proto) {
  if (!tensor.type().known()) return bad_input("has no type to be written with");
  proto.mutable_dims()->Assign(tensor.shape().begin(), tensor.shape().end());
  proto.set_data_type(static_cast<int>(dtype_to_onnx(tensor.dtype())));
  if (tensor.dtype() == DType::String) {
    const std::span<const std::string> strings = tensor.data<std::string>();
    proto.mutable_string_data()->Assign(strings.begin(), strings.end());
  } else if (external_ != nullptr && tensor.bytes().size() >= kSmallestExternal) {
    HONE_RETURN_IF_ERROR(external_->add(tensor, proto));
  } else {
    // Not set_raw_data, which makes a second copy on the way.
    proto.mutable_raw_data()->assign(reinterpret_cast<const char*>(tensor.bytes().data()),
                                     tensor.bytes().size());
  }
  return Done{};
}

Status Writer::set_graph_of(const std::shared_ptr<OnnxGraph>& graph, pb::GraphProto& proto) {
  if (!graph) return bad_input("has no graph to be written");
  return set_graph(*graph, proto);
}

Attr::AttributeType type_of_value(const OnnxAttrValue& value) {
  return std::visit(Overloaded{
                        [](int64_t) { return Attr::INT; },
                        [](float) { return Attr::FLOAT; },
                        [](const std::string&) { return Attr::STRING; },
                        [](const Tensor&) { return Attr::TENSOR; },
                        [](const std::shared_ptr<OnnxGraph>&) { return Attr::GRAPH; },
                        [](const OnnxType&) { return Attr::TYPE_PROTO; },
                        [](const std::vector<int64_t>&) { return Attr::INTS; },
                        [](const std::vector<float>&) { return Attr::FLOATS; },
                        [](const std::vector<std::string>&) { return Attr::STRINGS; },
                        [](const std::vector<Tensor>&) { return Attr::TENSORS; },
                        [](const std::vector<std::shared_ptr<OnnxGraph>>&) { return Attr::GRAPHS; },
                    },
                    value);
}

Status Writer::set_value(const OnnxAttrValue& value, Attr& proto) {
  const auto set = [&](const auto& v) -> Status {
    using T = std::decay_t<decltype(v)>;
    if constexpr (std::is_same_v<T, int64_t>) {
      proto.set_i(v);
    } else if constexpr (std::is_same_v<T, float>) {
      proto.set_f(v);
    } else if constexpr (std::is_same_v<T, std::string>) {
      proto.set_s(v);
    } else if constexpr (std::is_same_v<T, Tensor>) {
      return set_tensor(v, *proto.mutable_t());
    } else if constexpr (std::is_same_v<T, std::shared_ptr<OnnxGraph>>) {
      return set_graph_of(v, *proto.mutable_g());
    } else if constexpr (std::is_same_v<T, OnnxType>) {
      set_type(v, *proto.mutable_tp());
    } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
      proto.mutable_ints()->Assign(v.begin(), v.end());
    } else if constexpr (std::is_same_v<T, std::vector<float>>) {
      proto.mutable_floats()->Assign(v.begin(), v.end());
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      set_strings(v, *proto.mutable_strings());
    } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
      for (const Tensor& t : v) HONE_RETURN_IF_ERROR(set_tensor(t, *proto.add_tensors()));
    } else {
      for (const auto& g : v) HONE_RETURN_IF_ERROR(set_graph_of(g, *proto.add_graphs()));
    }
    return Done{};
  };
  return std::visit(set, value);
}

Status Writer::set_attr(const std::string& name, const OnnxAttr& attr, Attr& proto) {
  proto.set_name(name);
  proto.set_type(type_of_value(attr.value));
  if (attr.refers_to.empty()) {
    return set_value(attr.value, proto).in(str("attribute '", name, "'"));
  }
  proto.set_ref_attr_name(attr.refers_to);
  return Done{};
}

template <class Protos>
Status Writer::set_nodes(const std::vector<OnnxNode>& nodes, Protos& protos) {
  for (const OnnxNode& node : nodes) {
    pb::NodeProto& proto = *protos.Add();
    if (!node.name.empty()) proto.set_name(node.name);
    proto.set_op_type(node.op_type);
    if (!node.domain.empty()) proto.set_domain(node.domain);
    set_strings(node.inputs, *proto.mutable_input());
    set_strings(node.outputs, *proto.mutable_output());
    set_entries(node.metadata, *proto.mutable_metadata_props());
    for (const auto& [name, attr] : node.attrs) {
      HONE_RETURN_IF_ERROR(
          set_attr(name, attr, *proto.add_attribute()).in(str("node '", node.name, "'")));
    }
  }
  return Done{};
}

Status Writer::set_graph(const OnnxGraph& graph, pb::GraphProto& proto) {
  proto.set_name(graph.name);
  for (const auto& [name, tensor] : graph.initializers) {
    pb::TensorProto& initializer = *proto.add_initializer();
    initializer.set_name(name);
    HONE_RETURN_IF_ERROR(set_tensor(tensor, initializer).in(str("initializer '", name, "'")));
  }
  set_value_infos(graph.inputs, *proto.mutable_input());
  set_value_infos(graph.outputs, *proto.mutable_output());
  set_value_infos(graph.value_infos, *proto.mutable_value_info());
  return set_nodes(graph.nodes, *proto.mutable_node());
}

Status Writer::set_function(const OnnxFunction& function, pb::FunctionProto& proto) {
  proto.set_name(function.name);
  proto.set_domain(function.domain);
  set_strings(function.inputs, *proto.mutable_input());
  set_strings(function.outputs, *proto.mutable_output());
  set_strings(function.attrs, *proto.mutable_attribute());
  set_opsets(function.opsets, *proto.mutable_opset_import());
  for (const auto& [name, attr] : function.defaults) {
    HONE_RETURN_IF_ERROR(set_attr(name, attr, *proto.add_attribute_proto()));
  }
  return set_nodes(function.nodes, *proto.mutable_node());
}

Status Writer::set_model(const OnnxModel& model, pb::ModelProto& proto) {
  proto.set_ir_version(model.ir_version);
  if (!model.producer_name.empty()) proto.set_producer_name(model.producer_name);
  if (!model.producer_version.empty()) proto.set_producer_version(model.producer_version);
  set_opsets(model.opsets, *proto.mutable_opset_import());
  set_entries(model.metadata, *proto.mutable_metadata_props());
  for (const OnnxFunction& function : model.functions) {
    HONE_RETURN_IF_ERROR(
        set_function(function, *proto.add_functions()).in(str("function '", function.name, "'")));
  }
  return set_graph(model.graph, *proto.mutable_graph());
}

// The message of a model, if it is one that protobuf can write.
Result<pb::ModelProto> message_of(const OnnxModel& model, ExternalData* external) {
  silence_protobuf();
  pb::ModelProto proto;
  HONE_RETURN_IF_ERROR(Writer(external).set_model(model, proto));
  const size_t size = proto.ByteSizeLong();
  if (size > INT_MAX) return unsupported("takes ", size, " bytes, more than the 2 GB of a file");
  return proto;
}

// Where protobuf leaves its bytes; it asks only whether they were taken.
class MessageSink final : public google::protobuf::io::CopyingOutputStream {
 public:
  explicit MessageSink(OutputFile& file) : file_(file) {}

  bool Write(const void* bytes, int size) override {
    if (status.ok()) {
      status = file_.write({static_cast<const char*>(bytes), static_cast<size_t>(size)});
    }
    return status.ok();
  }

  Status status = Done{};

 private:
  OutputFile& file_;
};

Status write_message(const pb::ModelProto& proto, OutputFile& file) {
  MessageSink sink(file);
  google::protobuf::io::CopyingOutputStreamAdaptor stream(&sink);
  const bool written = proto.SerializeToZeroCopyStream(&stream) && stream.Flush();
  HONE_RETURN_IF_ERROR(sink.status);
  HONE_CHECK(written, "protobuf wrote a message of known size to a sink that took it");
  return file.finish();
}

}  // namespace

Status write_onnx_up_to(const OnnxModel& model, const fs::path& path, uint64_t largest_bytes) {
  const std::string name = path.string();
  const fs::path data_path = name + ".data";
  std::optional<ExternalData> external;
  if (tensor_bytes(model.graph) > largest_bytes) {
    HONE_TRY(ExternalData opened, ExternalData::open(data_path));
    external.emplace(std::move(opened));
  }
  HONE_TRY(const pb::ModelProto proto, message_of(model, external ? &*external : nullptr).in(name));
  HONE_TRY(OutputFile file, OutputFile::open(path));
  HONE_RETURN_IF_ERROR(write_message(proto, file));
  // Both are whole on the disk before either takes its name.
  if (external) {
    HONE_RETURN_IF_ERROR(external->finish());
    HONE_RETURN_IF_ERROR(external->commit());
  }
  return file.commit();
}

Status write_onnx(const OnnxModel& model, const fs::path& path) {
  return write_onnx_up_to(model, path, kLargestFile);
}

Result<std::string> write_onnx_bytes(const OnnxModel& model) {
  HONE_TRY(const pb::ModelProto proto, message_of(model, nullptr));
  return proto.SerializeAsString();
}

}  // namespace hone
