#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "hone/base/json_text.h"
#include "hone/base/progress.h"
#include "hone/base/version.h"
#include "hone/model/onnx_check.h"
#include "hone/model/onnx_lower.h"
#include "hone/model/save.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

// int4, blocked quantization and 16-bit quantization came with 21.
constexpr int64_t kOldestOpset = 21;
constexpr int64_t kIrVersion = 10;
constexpr std::string_view kCopy = "/copy_";  // Behind the name of an output that needs another.

OnnxType onnx_type(const Value& value) {
  OnnxType type;
  type.dtype = value.type.tensor.dtype;
  type.sequence = value.type.sequence;
  type.optional = value.type.optional;
  if (!value.type.tensor.ranked) return type;
  type.shape.emplace();
  for (size_t i = 0; i < value.type.tensor.shape.size(); ++i) {
    type.shape->push_back(
        {value.type.tensor.shape[i], i < value.dims.size() && value.type.tensor.shape[i] == kUnknown
                                         ? value.dims[i]
                                         : std::string()});
  }
  return type;
}

OnnxValueInfo value_info(const std::string& name, const Value& value) {
  // What a body's values are is known when it runs; nothing is better than "undefined" then.
  if (value.type.tensor.dtype == DType::Undefined) return {name, std::nullopt};
  return {name, onnx_type(value)};
}

// The type that optional's attribute spells: "f32", "sequence of f32".
OnnxType type_named(std::string_view name) {
  constexpr std::string_view kPrefix = "sequence of ";
  OnnxType type;
  type.sequence = name.starts_with(kPrefix);
  if (type.sequence) name.remove_prefix(kPrefix.size());
  type.dtype = dtype_named(name).value_or(DType::Undefined);
  return type;
}

// A list of nothing is an attribute that is left out.
bool says_nothing(const Attr& attr) {
  const auto* ints = std::get_if<Ints>(&attr);
  const auto* reals = std::get_if<Floats>(&attr);
  return (ints != nullptr && ints->empty()) || (reals != nullptr && reals->empty());
}

class Exporter {
 public:
  explicit Exporter(OnnxModel& model) : model_(model) {}

  // `prefix` keeps the names of a subgraph apart from those around it; `captured` are the names
  // that its last inputs have there.
  Result<OnnxGraph> graph(const Graph& from, const std::string& prefix,
                          const std::vector<std::string>& captured) {
    Names names;
    OnnxGraph to;
    to.name = from.name.empty() ? "graph" : from.name;
    const size_t formal = from.inputs().size() - captured.size();
    for (size_t i = 0; i < from.inputs().size(); ++i) {
      const Value* input = from.inputs()[i];
      names[input] = i < formal ? prefix + input->name : captured[i - formal];
      if (i < formal) to.inputs.push_back(value_info(names[input], *input));
    }
    for (const Value* constant : from.constants()) {
      names[constant] = prefix + constant->name;
      to.initializers.emplace_back(names[constant], *constant->constant);
    }
    for (const Node* node : from.nodes()) {
      HONE_RETURN_IF_ERROR(
          add_node(from, *node, prefix, names, to).in(str("node '", node->name, "'")));
    }
    std::unordered_set<std::string> outputs;
    for (const Value* output : from.outputs()) {
      HONE_RETURN_IF_ERROR(add_output(*output, prefix, names, outputs, to));
    }
    std::erase_if(to.value_infos,
                  [&](const OnnxValueInfo& info) { return outputs.contains(info.name); });
    return to;
  }

 private:
  using Names = std::unordered_map<const Value*, std::string>;

  Status add_node(const Graph& from, const Node& node, const std::string& prefix, Names& names,
                  OnnxGraph& to) {
    const OpDef* op = find_op(node.op);
    if (op == nullptr || op->onnx.empty()) {
      return unsupported("operator ", node.op, " has no ONNX form");
    }
    const OnnxRule& rule = op->onnx[0];
    OnnxNode made;
    made.name = unique_name(prefix + node.name);
    made.op_type = rule.op_type;
    made.domain = rule.domain;
    require_opset(rule);
    const int64_t* captures = node.find_attr<int64_t>("captures");
    const size_t formal = node.inputs.size() - static_cast<size_t>(captures ? *captures : 0);
    std::vector<std::string> captured;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const std::string name = node.inputs[i] == nullptr ? "" : names.at(node.inputs[i]);
      (i < formal ? made.inputs : captured).push_back(name);
    }
    for (const Value* output : node.outputs) {
      names[output] = prefix + output->name;
      made.outputs.push_back(names[output]);
      if (output->type.tensor.known()) to.value_infos.push_back(value_info(names[output], *output));
    }
    for (const auto& [key, attr] : node.attrs) {
      if (key == "captures" || says_nothing(attr)) continue;
      if (node.op == "optional" && key == "type") {
        made.attrs.emplace(key, OnnxAttr{type_named(std::get<std::string>(attr)), ""});
        continue;
      }
      HONE_TRY(OnnxAttrValue value, attr_value(attr, made.name + "/" + key + "/", captured));
      made.attrs.emplace(key, OnnxAttr{std::move(value), ""});
    }
    add_origins(from, node, made);
    to.nodes.push_back(std::move(made));
    return Done{};
  }

  Result<OnnxAttrValue> attr_value(const Attr& attr, const std::string& prefix,
                                   const std::vector<std::string>& captured) {
    if (const auto* integer = std::get_if<int64_t>(&attr)) return OnnxAttrValue(*integer);
    if (const auto* real = std::get_if<double>(&attr)) {
      return OnnxAttrValue(static_cast<float>(*real));
    }
    if (const auto* text = std::get_if<std::string>(&attr)) return OnnxAttrValue(*text);
    if (const auto* dtype = std::get_if<DType>(&attr)) return OnnxAttrValue(dtype_to_onnx(*dtype));
    if (const auto* tensor = std::get_if<Tensor>(&attr)) return OnnxAttrValue(*tensor);
    if (const auto* ints = std::get_if<Ints>(&attr)) return OnnxAttrValue(*ints);
    if (const auto* texts = std::get_if<Strings>(&attr)) return OnnxAttrValue(*texts);
    if (const auto* reals = std::get_if<Floats>(&attr)) {
      return OnnxAttrValue(std::vector<float>(reals->begin(), reals->end()));
    }
    HONE_TRY(OnnxGraph body, graph(*std::get<std::shared_ptr<Graph>>(attr), prefix, captured));
    return OnnxAttrValue(std::make_shared<OnnxGraph>(std::move(body)));
  }

  // An output that is an input, a constant, or an output already needs a node of its own.
  // Nodes of a graph may share a name, the parts of a layer for example; some readers of ONNX
  // refuse that.
  std::string unique_name(const std::string& wanted) {
    if (wanted.empty()) return wanted;
    std::string name = wanted;
    int& last = last_number_[wanted];
    while (!node_names_.insert(name).second) name = str(wanted, ".", last = std::max(last, 1) + 1);
    return name;
  }

  Status add_output(const Value& output, const std::string& prefix, Names& names,
                    std::unordered_set<std::string>& outputs, OnnxGraph& to) {
    std::string name = names.at(&output);
    if (output.producer == nullptr || outputs.contains(name)) {
      OnnxNode copy;
      copy.op_type = "Identity";
      copy.name = str(prefix, output.name, kCopy, to.outputs.size());
      copy.inputs = {name};
      copy.outputs = {copy.name};
      name = copy.name;
      to.nodes.push_back(std::move(copy));
    }
    outputs.insert(name);
    to.outputs.push_back(value_info(name, output));
    return Done{};
  }

  void require_opset(const OnnxRule& rule) {
    int64_t& version = model_.opsets[std::string(rule.domain)];
    version = std::max(version, rule.domain.empty() ? std::max(kOldestOpset, rule.since) : 1);
  }

  static void add_origins(const Graph& from, const Node& node, OnnxNode& made) {
    if (node.origins.empty()) return;
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const int origin : node.origins) {
      names.push_back(from.sources[static_cast<size_t>(origin)].name);
    }
    made.metadata["hone.origins"] = json_text(names);
    if (node.op == "quantize_linear" || node.op == "dequantize_linear") return;
    for (const int origin : node.origins) {
      const std::string& op = from.sources[static_cast<size_t>(origin)].op;
      // Those of ONNX itself have no domain.
      if (op.find('.') != std::string::npos) made.metadata[kMadeOf] = op;
    }
  }

  OnnxModel& model_;
  std::set<std::string> node_names_;
  std::unordered_map<std::string, int> last_number_;  // By the name wanted: of its last copy.
};

// Whoever asks for outputs by name has to know.
void tell_new_names(const Graph& graph, const OnnxGraph& written) {
  for (size_t i = 0; i < written.outputs.size(); ++i) {
    const std::string& name = graph.outputs()[i]->name;
    const std::string& now = written.outputs[i].name;
    if (!now.starts_with(str(name, kCopy))) continue;
    say_on_stderr(str("output '", name, "' is '", now,
                      "' in the file: an input, a constant or another output has its name"));
  }
}

}  // namespace

Result<OnnxModel> export_onnx(const Graph& graph) {
  const std::unique_ptr<Graph> lowered = graph.clone();
  HONE_RETURN_IF_ERROR(lower_to_onnx(*lowered));
  OnnxModel model;
  model.ir_version = kIrVersion;
  model.producer_name = "hone";
  model.producer_version = version();
  model.opsets[""] = kOldestOpset;
  HONE_TRY(model.graph, Exporter(model).graph(*lowered, "", {}));
  return model;
}

Result<size_t> save_onnx(const Graph& graph, const std::filesystem::path& path) {
  HONE_TRY(const OnnxModel model, export_onnx(graph));
  HONE_RETURN_IF_ERROR(check_onnx(model).in(str(path.string(), ": not written")));
  HONE_RETURN_IF_ERROR(write_onnx(model, path));
  tell_new_names(graph, model.graph);
  return model.graph.nodes.size();
}

}  // namespace hone
