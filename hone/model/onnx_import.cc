// ONNX structs -> Graph: resolves names, closes subgraphs over what they capture, inlines
// functions, and hands each node to its operator's import rule.

#include "hone/ops/onnx_import.h"
#include "hone/ops/custom/custom.h"

#include <unordered_map>

#include "hone/model/load.h"
#include "hone/model/onnx_scope.h"
#include "hone/model/save.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

// The newest operator set whose operators Hone has read; a newer one may change what a name means.
constexpr int64_t kNewestOpset = 28;
// Functions may call functions; a few hundred bytes of file can ask for billions of nodes.
constexpr int kOnnxImportDeepestCall = 32;
constexpr size_t kMostInlined = 200'000;

ValueType value_type(const OnnxType& type) {
  ValueType result = TensorType::unranked(type.dtype);
  result.sequence = type.sequence;
  result.optional = type.optional;
  if (!type.shape) return result;
  result.tensor.ranked = true;
  for (const OnnxDim& dim : *type.shape) {
    result.tensor.shape.push_back(dim.value < 0 ? kUnknown : dim.value);
  }
  return result;
}

// Attributes that hold a number of TensorProto.DataType in every operator that has them.
bool names_a_dtype(std::string_view key) {
  for (const char* name :
       {"to", "dtype", "output_dtype", "output_datatype", "stash_type", "softmax_precision"}) {
    if (key == name) return true;
  }
  return false;
}

// With its domain where that is not ONNX's own. A file that Hone wrote may say what operator a node
// was made of.
std::string operator_of(const OnnxNode& node) {
  const auto made_of = node.metadata.find(kMadeOf);
  if (made_of != node.metadata.end()) return made_of->second;
  return node.domain.empty() ? node.op_type : str(node.domain, ".", node.op_type);
}

using Scope = std::unordered_map<std::string, Value*>;

// What all graphs of one file share.
struct File {
  const OnnxModel& model;
  std::map<std::pair<std::string_view, std::string_view>, const OnnxFunction*> functions;
  size_t inlined = 0;  // Nodes of functions so far.

  explicit File(const OnnxModel& read) : model(read) {
    for (const OnnxFunction& function : read.functions) {
      functions.try_emplace({function.domain, function.name}, &function);
    }
  }
};

// Builds one graph: the model's, or the body of a control-flow node.
class OnnxImportBuilder {
 public:
  OnnxImportBuilder(File& file, const std::map<std::string, int64_t>& opsets, Graph& graph)
      : file_(file), opsets_(opsets), graph_(graph) {}

  Status add_inputs(const OnnxGraph& from, bool is_body);
  Status add_initializers(const OnnxGraph& from);
  void declare_types(const OnnxGraph& from);
  Status add_nodes(const std::vector<OnnxNode>& nodes);
  Status add_outputs(const std::vector<OnnxValueInfo>& outputs);
  // Names from around a body become its inputs, after those it declares.
  void add_captures(const std::set<std::string>& names, const Scope& outer);

 private:
  Result<Value*> lookup(const std::string& name) const;
  Status define(const std::string& name, Value* value);
  Status add_node(const OnnxNode& node);
  Status add_by_rule(const OnnxNode& node);
  Status add_custom(const OnnxNode& node, const std::string& reason);
  Status add_constant_node(const OnnxNode& node);
  Status call(const OnnxFunction& function, const OnnxNode& node);
  Status finish(OnnxImport& in, const OnnxNode& node);
  Status name_results(const OnnxNode& node, const std::vector<Value*>& results);
  Result<std::vector<Value*>> resolve_inputs(const OnnxNode& node) const;
  Result<Attrs> convert_attrs(const OnnxNode& node, const std::set<std::string>& captured);
  Result<Attr> convert_attr(const std::string& key, const OnnxAttrValue& value,
                            const std::set<std::string>& captured);
  Result<Attr> import_body(const OnnxGraph& body, const std::set<std::string>& captured);
  const OnnxFunction* find_function(const OnnxNode& node) const;
  int64_t opset_of(const std::string& domain) const;

  File& file_;
  const std::map<std::string, int64_t>& opsets_;
  Graph& graph_;
  Scope scope_;
  std::unordered_map<std::string, ValueType> declared_;
  int call_depth_ = 0;
  int source_ = -1;  // Of the file's node being imported; functions keep their caller's.
};

Result<Value*> OnnxImportBuilder::lookup(const std::string& name) const {
  const auto found = scope_.find(name);
  if (found == scope_.end()) return bad_input("'", name, "' is not made by any node or input");
  return found->second;
}

Status OnnxImportBuilder::define(const std::string& name, Value* value) {
  if (name.empty()) return Done{};
  if (!scope_.emplace(name, value).second) return bad_input("'", name, "' is defined twice");
  if (value->producer != nullptr) graph_.rename(value, name);
  const auto type = declared_.find(name);
  if (type == declared_.end() || value->producer == nullptr) return Done{};
  // A rule that set a type knows better than the file's hints.
  if (value->type.tensor.dtype == DType::Undefined) value->type = type->second;
  return Done{};
}

Status OnnxImportBuilder::add_inputs(const OnnxGraph& from, bool is_body) {
  std::set<std::string> initialized;
  for (const auto& [name, tensor] : from.initializers) initialized.insert(name);
  for (const OnnxValueInfo& info : from.inputs) {
    if (initialized.contains(info.name)) continue;
    ValueType type = info.type ? value_type(*info.type) : ValueType();
    HONE_RETURN_IF_ERROR(type.tensor.check().in(str("input '", info.name, "'")));
    // Extents may change from one iteration to the next, whatever the body declares.
    if (is_body) {
      type.tensor.shape.clear();
      type.tensor.ranked = false;
    }
    Value* value = graph_.add_input(info.name, type);
    HONE_RETURN_IF_ERROR(define(info.name, value));
    if (!info.type || !info.type->shape || is_body) continue;
    for (const OnnxDim& dim : *info.type->shape) value->dims.push_back(dim.name);
  }
  return Done{};
}

Status OnnxImportBuilder::add_initializers(const OnnxGraph& from) {
  for (const auto& [name, tensor] : from.initializers) {
    HONE_RETURN_IF_ERROR(define(name, graph_.add_constant(name, tensor)));
  }
  return Done{};
}

void OnnxImportBuilder::declare_types(const OnnxGraph& from) {
  for (const auto* infos : {&from.value_infos, &from.outputs}) {
    for (const OnnxValueInfo& info : *infos) {
      if (info.type) declared_.emplace(info.name, value_type(*info.type));
    }
  }
}

void OnnxImportBuilder::add_captures(const std::set<std::string>& names, const Scope& outer) {
  for (const std::string& name : names) {
    ValueType type = outer.at(name)->type;
    Value* value = graph_.add_input(name, std::move(type));
    scope_.emplace(name, value);
  }
}

Status OnnxImportBuilder::add_nodes(const std::vector<OnnxNode>& nodes) {
  HONE_TRY(const std::vector<const OnnxNode*> order, in_running_order(nodes));
  for (const OnnxNode* node : order) {
    if (call_depth_ == 0) {
      source_ = static_cast<int>(graph_.sources.size());
      graph_.sources.push_back(
          {label_of(*node), operator_of(*node), static_cast<int>(node - nodes.data())});
    }
    const size_t before = graph_.node_count();
    HONE_RETURN_IF_ERROR(add_node(*node).in(
        str("node '", label_of(*node), "' (", custom_name(node->domain, node->op_type), ")")));
    if (call_depth_ > 0) continue;
    const std::vector<Node*> made = graph_.last_nodes(graph_.node_count() - before);
    for (Node* part : made) graph_.set_origins(part, {source_});
    if (made.empty()) graph_.vanished.push_back({source_, "import"});
  }
  return Done{};
}

Status OnnxImportBuilder::add_outputs(const std::vector<OnnxValueInfo>& outputs) {
  for (const OnnxValueInfo& info : outputs) {
    HONE_TRY(Value * value, lookup(info.name).in("graph output"));
    graph_.add_output(value);
  }
  return Done{};
}

int64_t OnnxImportBuilder::opset_of(const std::string& domain) const {
  const auto found = opsets_.find(domain);
  return found == opsets_.end() ? 1 : found->second;
}

const OnnxFunction* OnnxImportBuilder::find_function(const OnnxNode& node) const {
  const auto found = file_.functions.find({node.domain, node.op_type});
  return found == file_.functions.end() ? nullptr : found->second;
}

Status OnnxImportBuilder::add_node(const OnnxNode& node) {
  if (call_depth_ > 0 && ++file_.inlined > kMostInlined) {
    return bad_input("the model's functions come to more than ", kMostInlined, " nodes");
  }
  if (const OnnxFunction* function = find_function(node)) return call(*function, node);
  if (node.domain.empty() && node.op_type == "Constant") return add_constant_node(node);
  return add_by_rule(node);
}

Result<std::vector<Value*>> OnnxImportBuilder::resolve_inputs(const OnnxNode& node) const {
  std::vector<Value*> inputs;
  for (const std::string& name : node.inputs) {
    if (name.empty()) {
      inputs.push_back(nullptr);
      continue;
    }
    HONE_TRY(Value * value, lookup(name));
    inputs.push_back(value);
  }
  while (!inputs.empty() && inputs.back() == nullptr) inputs.pop_back();
  return inputs;
}

Result<Attr> OnnxImportBuilder::import_body(const OnnxGraph& body,
                                            const std::set<std::string>& captured) {
  auto graph = std::make_shared<Graph>();
  graph->name = body.name;
  OnnxImportBuilder builder(file_, opsets_, *graph);
  builder.call_depth_ = 0;
  builder.declare_types(body);
  HONE_RETURN_IF_ERROR(builder.add_inputs(body, true));
  builder.add_captures(captured, scope_);
  HONE_RETURN_IF_ERROR(builder.add_initializers(body));
  HONE_RETURN_IF_ERROR(builder.add_nodes(body.nodes));
  HONE_RETURN_IF_ERROR(builder.add_outputs(body.outputs));
  return Attr(std::move(graph));
}

Result<Attr> OnnxImportBuilder::convert_attr(const std::string& key, const OnnxAttrValue& value,
                                             const std::set<std::string>& captured) {
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    if (!names_a_dtype(key)) return Attr(*integer);
    const DType dtype = dtype_from_onnx(*integer);
    if (dtype == DType::Undefined) return unsupported("attribute '", key, "': type ", *integer);
    return Attr(dtype);
  }
  if (const auto* real = std::get_if<float>(&value)) return Attr(static_cast<double>(*real));
  if (const auto* text = std::get_if<std::string>(&value)) return Attr(*text);
  if (const auto* tensor = std::get_if<Tensor>(&value)) return Attr(*tensor);
  if (const auto* ints = std::get_if<Ints>(&value)) return Attr(*ints);
  if (const auto* texts = std::get_if<Strings>(&value)) return Attr(*texts);
  if (const auto* reals = std::get_if<std::vector<float>>(&value)) {
    return Attr(Floats(reals->begin(), reals->end()));
  }
  if (const auto* body = std::get_if<std::shared_ptr<OnnxGraph>>(&value)) {
    return import_body(**body, captured);
  }
  if (const auto* type = std::get_if<OnnxType>(&value)) {
    return Attr(str(type->sequence ? "sequence of " : "", type->dtype));
  }
  return unsupported("attribute '", key, "' is a list of tensors or graphs");
}

Result<Attrs> OnnxImportBuilder::convert_attrs(const OnnxNode& node,
                                               const std::set<std::string>& captured) {
  Attrs attrs;
  for (const auto& [key, attr] : node.attrs) {
    if (!attr.refers_to.empty()) {
      return unsupported("attribute '", key, "' refers to '", attr.refers_to,
                         "' of a function from inside a subgraph");
    }
    // ONNX writes 0, "undefined", for an element type that is left to the operator.
    const auto* number = std::get_if<int64_t>(&attr.value);
    if (names_a_dtype(key) && number != nullptr && *number == 0) continue;
    HONE_TRY(Attr converted, convert_attr(key, attr.value, captured));
    attrs.emplace(key, std::move(converted));
  }
  return attrs;
}

Status OnnxImportBuilder::add_by_rule(const OnnxNode& node) {
  const int64_t opset = opset_of(node.domain);
  if (node.domain.empty() && opset > kNewestOpset) {
    return add_custom(node, str("operator set ", opset, " is newer than ", kNewestOpset,
                                ", the newest that Hone reads"));
  }
  const auto match = find_onnx_op(node.op_type, node.domain);
  if (!match) return add_custom(node, "no such operator in Hone");

  const std::set<std::string> captured = captured_names(node);
  HONE_TRY(std::vector<Value*> inputs, resolve_inputs(node));
  for (const std::string& name : captured) HONE_RETURN_IF_ERROR(lookup(name));
  auto attrs = convert_attrs(node, captured);
  if (!attrs.ok()) {
    if (attrs.error().kind != ErrorKind::Unsupported) return std::move(attrs).error();
    return add_custom(node, attrs.error().message);
  }
  OnnxImport in{.graph = graph_,
                .name = label_of(node),
                .op_type = node.op_type,
                .opset = opset,
                .inputs = std::move(inputs),
                .attrs = *std::move(attrs),
                .outputs = node.outputs.size(),
                .op = std::string(match->op->name)};
  for (const std::string& name : node.outputs) in.named.push_back(!name.empty());
  if (!captured.empty()) {
    in.attrs["captures"] = static_cast<int64_t>(captured.size());
    for (const std::string& name : captured) in.inputs.push_back(scope_.at(name));
  }
  if (match->rule->upgrade != nullptr) {
    Status status = match->rule->upgrade(in);
    if (!status.ok()) {
      if (status.error().kind != ErrorKind::Unsupported) return status;
      return add_custom(node, status.error().message);
    }
  }
  return finish(in, node);
}

Status OnnxImportBuilder::finish(OnnxImport& in, const OnnxNode& node) {
  if (in.results.empty()) {
    in.results = in.add(in.op, in.inputs, in.attrs, node.outputs.size())->outputs;
  }
  return name_results(node, in.results);
}

Status OnnxImportBuilder::name_results(const OnnxNode& node, const std::vector<Value*>& results) {
  if (results.size() < node.outputs.size()) {
    return bad_input("has ", node.outputs.size(), " outputs, expected at most ", results.size());
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    HONE_RETURN_IF_ERROR(define(node.outputs[i], results[i]));
  }
  return Done{};
}

// Keeps what the file says, so that the node can be shown, and written back where its attributes
// are plain.
Status OnnxImportBuilder::add_custom(const OnnxNode& node, const std::string& reason) {
  HONE_TRY(std::vector<Value*> inputs, resolve_inputs(node));
  Attrs attrs{{"domain", node.domain}, {"op_type", node.op_type}, {"reason", reason}};
  Strings names;
  Floats numbers;
  for (const auto& [name, attr] : node.attrs) {
    const auto* integer = std::get_if<int64_t>(&attr.value);
    const auto* real = std::get_if<float>(&attr.value);
    if (integer == nullptr && real == nullptr) continue;
    names.push_back(name);
    numbers.push_back(integer != nullptr ? static_cast<double>(*integer) : double{*real});
  }
  if (!names.empty()) {
    attrs["names"] = std::move(names);
    attrs["numbers"] = std::move(numbers);
  }
  Node* made = graph_.add_node("custom", std::move(inputs),
                               std::vector<ValueType>(std::max<size_t>(node.outputs.size(), 1)),
                               std::move(attrs), label_of(node));
  return name_results(node, made->outputs);
}

Status OnnxImportBuilder::add_constant_node(const OnnxNode& node) {
  if (node.outputs.size() != 1 || node.attrs.size() != 1) {
    return bad_input("has ", node.outputs.size(), " outputs and ", node.attrs.size(),
                     " attributes, expected one of each");
  }
  const auto& [key, attr] = *node.attrs.begin();
  Tensor tensor;
  if (const auto* given = std::get_if<Tensor>(&attr.value)) {
    tensor = *given;
  } else if (const auto* integer = std::get_if<int64_t>(&attr.value)) {
    tensor = Tensor::scalar(*integer);
  } else if (const auto* real = std::get_if<float>(&attr.value)) {
    tensor = Tensor::scalar(*real);
  } else if (const auto* text = std::get_if<std::string>(&attr.value)) {
    tensor = Tensor::scalar(*text);
  } else if (const auto* ints = std::get_if<Ints>(&attr.value)) {
    tensor = Tensor::of_ints(*ints);
  } else if (const auto* reals = std::get_if<std::vector<float>>(&attr.value)) {
    tensor = Tensor::of<float>({static_cast<int64_t>(reals->size())}, *reals);
  } else if (const auto* texts = std::get_if<Strings>(&attr.value)) {
    tensor = Tensor::of<std::string>({static_cast<int64_t>(texts->size())}, *texts);
  } else {
    return bad_input("attribute '", key, "' is not a constant");
  }
  return define(node.outputs[0], graph_.add_constant(node.outputs[0], std::move(tensor)));
}

// The function's node with its references to attributes of the function replaced by the call's.
OnnxNode bind_attrs(OnnxNode node, const OnnxFunction& function, const OnnxNode& caller) {
  for (auto it = node.attrs.begin(); it != node.attrs.end();) {
    OnnxAttr& attr = it->second;
    if (attr.refers_to.empty()) {
      ++it;
      continue;
    }
    const auto given = caller.attrs.find(attr.refers_to);
    const auto fallback = function.defaults.find(attr.refers_to);
    if (given != caller.attrs.end()) {
      it++->second = OnnxAttr{given->second.value, ""};
    } else if (fallback != function.defaults.end()) {
      it++->second = OnnxAttr{fallback->second.value, ""};
    } else {
      it = node.attrs.erase(it);  // Left out by the call, so left out here.
    }
  }
  return node;
}

Status OnnxImportBuilder::call(const OnnxFunction& function, const OnnxNode& node) {
  if (call_depth_ >= kOnnxImportDeepestCall) {
    return bad_input("functions call each other more than ", kOnnxImportDeepestCall, " deep");
  }
  if (node.inputs.size() > function.inputs.size()) {
    return bad_input("has ", node.inputs.size(), " inputs, expected at most ",
                     function.inputs.size());
  }
  HONE_TRY(std::vector<Value*> inputs, resolve_inputs(node));
  std::vector<OnnxNode> body;
  for (const OnnxNode& inner : function.nodes) {
    body.push_back(bind_attrs(inner, function, node));
    // An input that the call leaves out is left out of the body's nodes as well.
    for (std::string& name : body.back().inputs) {
      for (size_t i = 0; i < function.inputs.size(); ++i) {
        const bool given = i < inputs.size() && inputs[i] != nullptr;
        if (name == function.inputs[i] && !given) name.clear();
      }
    }
  }
  OnnxImportBuilder inner(file_, function.opsets.empty() ? opsets_ : function.opsets, graph_);
  inner.call_depth_ = call_depth_ + 1;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != nullptr) inner.scope_.emplace(function.inputs[i], inputs[i]);
  }
  HONE_RETURN_IF_ERROR(inner.add_nodes(body).in(str("function ", function.name)));
  std::vector<Value*> results;
  for (const std::string& name : function.outputs) {
    HONE_TRY(Value * value, inner.lookup(name).in(str("function ", function.name)));
    results.push_back(value);
  }
  return name_results(node, results);
}

}  // namespace

Result<Model> import_onnx(const OnnxModel& file, const LoadOptions& options) {
  Model model;
  model.format = "onnx";
  model.producer = file.producer_name;
  const auto opset = file.opsets.find("");
  if (opset != file.opsets.end()) model.version = str("opset ", opset->second);
  model.graph.name = file.graph.name;

  File shared(file);
  OnnxImportBuilder builder(shared, file.opsets, model.graph);
  builder.declare_types(file.graph);
  HONE_RETURN_IF_ERROR(builder.add_inputs(file.graph, false));
  HONE_RETURN_IF_ERROR(builder.add_initializers(file.graph));
  HONE_RETURN_IF_ERROR(bind_shapes(model.graph, options));
  HONE_RETURN_IF_ERROR(builder.add_nodes(file.graph.nodes));
  HONE_RETURN_IF_ERROR(builder.add_outputs(file.graph.outputs));
  HONE_TRY(InferredTypes inferred, infer_types(model.graph));
  model.unsupported = std::move(inferred.unsupported);
  HONE_RETURN_IF_ERROR(verify(model.graph));
  return model;
}

}  // namespace hone
