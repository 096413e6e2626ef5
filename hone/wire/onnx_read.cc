// Messages -> plain structs. onnx_parse.cc makes the messages from bytes.

#include <algorithm>
#include <utility>

#include "hone/wire/onnx_proto.h"

namespace hone {
namespace {

using Attr = pb::AttributeProto;

template <class Strings>
std::vector<std::string> to_vector(const Strings& strings) {
  return {strings.begin(), strings.end()};
}

std::string standard_domain(const std::string& domain) {
  return domain == "ai.onnx" ? "" : domain;
}

template <class Entries>
std::map<std::string, std::string> to_map(const Entries& entries) {
  std::map<std::string, std::string> map;
  for (const pb::StringStringEntryProto& entry : entries) map[entry.key()] = entry.value();
  return map;
}

// Far beyond what there will be; a larger one is damage.
constexpr int64_t kLargestOpset = 1000;

template <class Imports>
Result<std::map<std::string, int64_t>> opsets_from(const Imports& imports) {
  std::map<std::string, int64_t> opsets;
  for (const pb::OperatorSetIdProto& import : imports) {
    const std::string domain = standard_domain(import.domain());
    // Other domains number theirs as they like.
    if (domain.empty() && (import.version() < 1 || import.version() > kLargestOpset)) {
      return bad_input("opset version ", import.version(), ", expected 1 to ", kLargestOpset);
    }
    const auto [entry, is_new] = opsets.emplace(domain, import.version());
    if (!is_new && entry->second != import.version()) {
      return bad_input("opset '", domain, "' is imported as version ", entry->second, " and as ",
                       import.version());
    }
  }
  return opsets;
}

template <class Proto>
Result<OnnxType> tensor_type_from(const Proto& proto) {
  OnnxType type;
  HONE_TRY(type.dtype, element_type(proto.elem_type()));
  if (!proto.has_shape()) return type;
  type.shape.emplace();
  for (const pb::TensorShapeProto::Dimension& dim : proto.shape().dim()) {
    OnnxDim extent{.value = kUnknown, .name = dim.dim_param()};
    // Some exporters write -1 for an extent they do not know.
    if (dim.has_dim_value()) extent.value = dim.dim_value();
    if (extent.value < kUnknown) return bad_input("extent ", extent.value, " is negative");
    type.shape->push_back(std::move(extent));
  }
  return type;
}

Result<OnnxValueInfo> value_info_from(const pb::ValueInfoProto& proto) {
  OnnxValueInfo info{.name = proto.name(), .type = std::nullopt};
  if (proto.type().value_case() == pb::TypeProto::VALUE_NOT_SET) return info;
  HONE_TRY(info.type, type_from_proto(proto.type()).in(str("value '", info.name, "'")));
  return info;
}

template <class Protos>
Status append_value_infos(const Protos& protos, std::vector<OnnxValueInfo>& infos) {
  for (const pb::ValueInfoProto& proto : protos) {
    HONE_TRY(OnnxValueInfo info, value_info_from(proto));
    infos.push_back(std::move(info));
  }
  return Done{};
}

// Files before IR version 2 leave `type` out; the one field that is set says it.
int type_of_attr(const Attr& proto) {
  if (proto.type() != Attr::UNDEFINED) return proto.type();
  if (proto.has_f()) return Attr::FLOAT;
  if (proto.has_i()) return Attr::INT;
  if (proto.has_s()) return Attr::STRING;
  if (proto.has_t()) return Attr::TENSOR;
  if (proto.has_g()) return Attr::GRAPH;
  if (proto.has_sparse_tensor()) return Attr::SPARSE_TENSOR;
  if (proto.has_tp()) return Attr::TYPE_PROTO;
  if (proto.floats_size() > 0) return Attr::FLOATS;
  if (proto.ints_size() > 0) return Attr::INTS;
  if (proto.strings_size() > 0) return Attr::STRINGS;
  if (proto.tensors_size() > 0) return Attr::TENSORS;
  if (proto.graphs_size() > 0) return Attr::GRAPHS;
  if (proto.sparse_tensors_size() > 0) return Attr::SPARSE_TENSORS;
  if (proto.type_protos_size() > 0) return Attr::TYPE_PROTOS;
  return Attr::UNDEFINED;
}

Result<OnnxAttrValue> graph_attr(pb::GraphProto& proto, OnnxSource& source) {
  auto graph = std::make_shared<OnnxGraph>();
  HONE_RETURN_IF_ERROR(graph_from_proto(proto, source, *graph));
  return OnnxAttrValue(std::move(graph));
}

Result<OnnxAttrValue> graphs_attr(Attr& proto, OnnxSource& source) {
  std::vector<std::shared_ptr<OnnxGraph>> graphs;
  for (pb::GraphProto& graph : *proto.mutable_graphs()) {
    graphs.push_back(std::make_shared<OnnxGraph>());
    HONE_RETURN_IF_ERROR(graph_from_proto(graph, source, *graphs.back()));
  }
  return OnnxAttrValue(std::move(graphs));
}

template <class Proto>
Result<OnnxAttrValue> tensor_attr(Proto& proto, OnnxSource& source) {
  HONE_TRY(Tensor tensor, tensor_from_proto(proto, source));
  return OnnxAttrValue(std::move(tensor));
}

template <class Protos>
Result<OnnxAttrValue> tensors_attr(Protos& protos, OnnxSource& source) {
  std::vector<Tensor> tensors;
  for (auto& proto : protos) {
    HONE_TRY(Tensor tensor, tensor_from_proto(proto, source));
    tensors.push_back(std::move(tensor));
  }
  return OnnxAttrValue(std::move(tensors));
}

Result<OnnxAttrValue> type_attr(const pb::TypeProto& proto) {
  HONE_TRY(OnnxType type, type_from_proto(proto));
  return OnnxAttrValue(std::move(type));
}

Result<OnnxAttrValue> attr_value(Attr& proto, int type, OnnxSource& source) {
  switch (type) {
    case Attr::FLOAT:
      return OnnxAttrValue(proto.f());
    case Attr::INT:
      return OnnxAttrValue(static_cast<int64_t>(proto.i()));
    case Attr::STRING:
      return OnnxAttrValue(std::move(*proto.mutable_s()));
    case Attr::TENSOR:
      return tensor_attr(*proto.mutable_t(), source);
    case Attr::GRAPH:
      return graph_attr(*proto.mutable_g(), source);
    case Attr::SPARSE_TENSOR:
      return tensor_attr(*proto.mutable_sparse_tensor(), source);
    case Attr::TYPE_PROTO:
      return type_attr(proto.tp());
    case Attr::FLOATS:
      return OnnxAttrValue(std::vector<float>(proto.floats().begin(), proto.floats().end()));
    case Attr::INTS:
      return OnnxAttrValue(std::vector<int64_t>(proto.ints().begin(), proto.ints().end()));
    case Attr::STRINGS:
      return OnnxAttrValue(to_vector(proto.strings()));
    case Attr::TENSORS:
      return tensors_attr(*proto.mutable_tensors(), source);
    case Attr::GRAPHS:
      return graphs_attr(proto, source);
    case Attr::SPARSE_TENSORS:
      return tensors_attr(*proto.mutable_sparse_tensors(), source);
    case Attr::TYPE_PROTOS:
      return unsupported("a list of types is not supported");
    case Attr::UNDEFINED:
      return bad_input("has neither a type nor a value");
    default:
      return unsupported("attribute type number ", type, " is not known");
  }
}

// The empty value of an attribute's type: an attribute that refers to another has no more.
Result<OnnxAttrValue> empty_attr_value(int type) {
  switch (type) {
    case Attr::TENSOR:
    case Attr::SPARSE_TENSOR:
      return OnnxAttrValue(Tensor());
    case Attr::GRAPH:
      return OnnxAttrValue(std::shared_ptr<OnnxGraph>());
    default:
      break;
  }
  Attr none;
  OnnxSource nowhere;
  return attr_value(none, type, nowhere);
}

Result<OnnxAttr> attr_from_proto(Attr& proto, OnnxSource& source) {
  const int type = type_of_attr(proto);
  OnnxAttr attr{.value = {}, .refers_to = proto.ref_attr_name()};
  HONE_TRY(attr.value,
           attr.refers_to.empty() ? attr_value(proto, type, source) : empty_attr_value(type));
  return attr;
}

template <class Protos>
Result<std::map<std::string, OnnxAttr>> attrs_from(Protos& protos, OnnxSource& source) {
  std::map<std::string, OnnxAttr> attrs;
  for (Attr& proto : protos) {
    const std::string& name = proto.name();
    if (attrs.contains(name)) return bad_input("attribute '", name, "' is given twice");
    HONE_TRY(OnnxAttr attr, attr_from_proto(proto, source).in(str("attribute '", name, "'")));
    attrs.emplace(name, std::move(attr));
  }
  return attrs;
}

Result<OnnxNode> node_from_proto(pb::NodeProto& proto, OnnxSource& source) {
  if (!proto.overload().empty()) {
    return unsupported("overload '", proto.overload(), "' of a function is not supported");
  }
  OnnxNode node{
      .name = proto.name(),
      .op_type = proto.op_type(),
      .domain = standard_domain(proto.domain()),
      .inputs = to_vector(proto.input()),
      .outputs = to_vector(proto.output()),
      .attrs = {},
      .metadata = to_map(proto.metadata_props()),
  };
  HONE_TRY(node.attrs, attrs_from(*proto.mutable_attribute(), source));
  return node;
}

// Nodes need no name; then the operator and the first output tell which one it is.
std::string text_of(const pb::NodeProto& proto) {
  if (!proto.name().empty()) return str("node '", proto.name(), "'");
  const std::string output = proto.output_size() > 0 ? proto.output(0) : "";
  return str(proto.op_type(), " node of '", output, "'");
}

template <class Protos>
Status append_nodes(Protos& protos, OnnxSource& source, std::vector<OnnxNode>& nodes) {
  for (pb::NodeProto& proto : protos) {
    auto node = node_from_proto(proto, source);
    if (!node.ok()) return std::move(node).error().in(text_of(proto));
    nodes.push_back(*std::move(node));
  }
  return Done{};
}

template <class Proto>
Status append_initializer(Proto& proto, const std::string& name, OnnxSource& source,
                          OnnxGraph& graph) {
  HONE_TRY(Tensor tensor, tensor_from_proto(proto, source).in(str("initializer '", name, "'")));
  graph.initializers.emplace_back(name, std::move(tensor));
  return Done{};
}

Result<OnnxFunction> function_from_proto(pb::FunctionProto& proto, OnnxSource& source) {
  if (!proto.overload().empty()) {
    return unsupported("overload '", proto.overload(), "' of a function is not supported");
  }
  OnnxFunction function{
      .name = proto.name(),
      .domain = standard_domain(proto.domain()),
      .inputs = to_vector(proto.input()),
      .outputs = to_vector(proto.output()),
      .attrs = to_vector(proto.attribute()),
      .defaults = {},
      .nodes = {},
      .opsets = {},
  };
  HONE_TRY(function.defaults, attrs_from(*proto.mutable_attribute_proto(), source));
  HONE_TRY(function.opsets, opsets_from(proto.opset_import()));
  HONE_RETURN_IF_ERROR(append_nodes(*proto.mutable_node(), source, function.nodes));
  return function;
}

// Opsets came with IR version 3; what is older has the first version of every operator.
Status require_opsets(OnnxModel& model) {
  if (!model.opsets.empty()) return Done{};
  if (model.ir_version >= 3) {
    return bad_input("imports no opset, which IR version ", model.ir_version, " requires");
  }
  model.opsets[""] = 1;
  return Done{};
}

}  // namespace

Result<OnnxType> type_from_proto(const pb::TypeProto& proto) {
  switch (proto.value_case()) {
    case pb::TypeProto::kTensorType:
      return tensor_type_from(proto.tensor_type());
    case pb::TypeProto::kSparseTensorType:
      // Sparse constants are made dense, and values with them.
      return tensor_type_from(proto.sparse_tensor_type());
    case pb::TypeProto::kSequenceType: {
      HONE_TRY(OnnxType type, type_from_proto(proto.sequence_type().elem_type()));
      if (type.sequence || type.optional) return unsupported("nested sequences are not supported");
      type.sequence = true;
      return type;
    }
    case pb::TypeProto::kOptionalType: {
      HONE_TRY(OnnxType type, type_from_proto(proto.optional_type().elem_type()));
      if (type.optional) return unsupported("nested optionals are not supported");
      type.optional = true;
      return type;
    }
    case pb::TypeProto::kMapType:
      return unsupported("map types are not supported");
    case pb::TypeProto::kOpaqueType:
      return unsupported("opaque types are not supported");
    case pb::TypeProto::VALUE_NOT_SET:
      break;
  }
  return OnnxType{};
}

Status graph_from_proto(pb::GraphProto& proto, OnnxSource& source, OnnxGraph& graph) {
  graph.name = proto.name();
  for (pb::TensorProto& tensor : *proto.mutable_initializer()) {
    HONE_RETURN_IF_ERROR(append_initializer(tensor, tensor.name(), source, graph));
  }
  for (pb::SparseTensorProto& sparse : *proto.mutable_sparse_initializer()) {
    const std::string name = sparse.values().name();
    HONE_RETURN_IF_ERROR(append_initializer(sparse, name, source, graph));
  }
  HONE_RETURN_IF_ERROR(append_value_infos(proto.input(), graph.inputs));
  HONE_RETURN_IF_ERROR(append_value_infos(proto.output(), graph.outputs));
  HONE_RETURN_IF_ERROR(append_value_infos(proto.value_info(), graph.value_infos));
  return append_nodes(*proto.mutable_node(), source, graph.nodes);
}

Status model_from_proto(pb::ModelProto& proto, OnnxSource& source, OnnxModel& model) {
  model.ir_version = proto.ir_version();
  model.producer_name = proto.producer_name();
  model.producer_version = proto.producer_version();
  model.metadata = to_map(proto.metadata_props());
  HONE_TRY(model.opsets, opsets_from(proto.opset_import()));
  HONE_RETURN_IF_ERROR(require_opsets(model));
  for (pb::FunctionProto& function : *proto.mutable_functions()) {
    auto converted = function_from_proto(function, source);
    if (!converted.ok()) {
      return std::move(converted).error().in(str("function '", function.name(), "'"));
    }
    model.functions.push_back(*std::move(converted));
  }
  return Done{};
}

}  // namespace hone
