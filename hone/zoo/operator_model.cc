#include "hone/zoo/operator_model.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "hone/base/hash.h"
#include "hone/base/text.h"
#include "hone/ops/infer_types.h"
#include "hone/ops/op_def.h"
#include "hone/zoo/weights.h"

namespace hone {
namespace {

// Elements of a tensor: 4 GiB of floats.
constexpr int64_t kMostElements = int64_t{1} << 30;

using Pieces = std::vector<std::string_view>;

Pieces pieces_between(std::string_view text, char separator) {
  Pieces found;
  for (size_t end = 0; (end = text.find(separator)) != std::string_view::npos;) {
    found.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  found.push_back(text);
  return found;
}

// Nothing where it is no number from 1 on.
std::optional<int64_t> extent_of(std::string_view digits) {
  int64_t extent = 0;
  const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), extent);
  const bool whole = error == std::errc() && stop == digits.end();
  return whole && extent > 0 ? std::optional(extent) : std::nullopt;
}

Result<Shape> shape_of_text(std::string_view text) {
  Shape shape;
  for (const std::string_view digits : pieces_between(text, 'x')) {
    const std::optional<int64_t> extent = extent_of(digits);
    if (!extent) {
      return bad_input("'", text, "' is no shape; expected numbers from 1 on with x between them, ",
                       "such as 1x64x56x56");
    }
    shape.push_back(*extent);
  }
  return shape;
}

Status check_elements(const Shape& shape) {
  int64_t elements = 1;
  for (const int64_t extent : shape) {
    if (!__builtin_mul_overflow(elements, extent, &elements) && elements <= kMostElements) continue;
    return bad_input("a tensor of ", text_of(shape), " is too large; expected at most ",
                     kMostElements, " elements");
  }
  return Done{};
}

// Makes the one node and what it reads.
class OperatorBuilder {
 public:
  OperatorBuilder(std::string_view text, DType dtype, uint64_t seed)
      : dtype_(dtype), weights_(seed ^ hash64(text)) {
    graph_.name = text;
  }

  DType dtype() const { return dtype_; }

  Status input(std::string_view name, const Shape& shape) {
    HONE_RETURN_IF_ERROR(check_elements(shape));
    operands_.push_back(graph_.add_input(name, ValueType(dtype_, shape)));
    return Done{};
  }

  Status constant(std::string_view name, const Shape& shape, double mean, double deviation) {
    HONE_RETURN_IF_ERROR(check_elements(shape));
    Tensor drawn = weights_.normal(name, shape, mean, deviation);
    if (dtype_ == DType::F16) drawn = halves_of(drawn);
    operands_.push_back(graph_.add_constant(name, std::move(drawn)));
    return Done{};
  }

  Result<Graph> finish(std::string_view op, Attrs attrs = {}) {
    const OpDef& def = *find_op(op);
    Node* node = graph_.add_node(op, operands_, {ValueType()}, std::move(attrs), op);
    graph_.sources.push_back(
        {std::string(op), std::string(def.onnx.empty() ? op : def.onnx[0].op_type), 0});
    graph_.set_origins(node, {0});
    KnownValues known;
    HONE_RETURN_IF_ERROR(infer_node(*node, known));
    Value* output = node->outputs[0];
    if (!output->type.is_tensor() || !output->type.tensor.known()) {
      return bad_input("the extents of its result follow from what it computes on, not from these");
    }
    HONE_RETURN_IF_ERROR(check_elements(output->type.tensor.shape));
    graph_.rename(output, "output");
    graph_.add_output(output);
    return std::move(graph_);
  }

 private:
  static Tensor halves_of(const Tensor& floats) {
    Tensor halves(TensorType(DType::F16, floats.shape()));
    std::ranges::transform(floats.data<float>(), halves.mutable_data<Half>().begin(),
                           [](float value) { return Half(value); });
    return halves;
  }

  DType dtype_;
  WeightSource weights_;
  Graph graph_;
  std::vector<Value*> operands_ = {};
};

// What stands between the kind and the type: the shape, and what else there is.
struct OperatorText {
  Shape shape = {};
  Pieces more = {};
};

Error expected_extents(const Shape& shape, std::string_view what) {
  return bad_input(text_of(shape), " has ", shape.size(),
                   shape.size() == 1 ? " extent" : " extents", "; expected ", what);
}

// "k3s2": a square window and the step it moves by; the step may be left out.
struct Window {
  int64_t kernel = 1;
  int64_t stride = 1;
};

Result<Window> window_of(const OperatorText& text) {
  constexpr std::string_view kExpected = "expected a window such as k3 or k3s2";
  if (text.shape.size() != 4) return expected_extents(text.shape, "four, NxCxHxW");
  if (text.more.empty()) return bad_input("no window behind the shape; ", kExpected);
  const std::string_view word = text.more[0];
  const size_t s = std::min(word.find('s'), word.size());
  std::optional<int64_t> kernel, stride = 1;
  if (word.starts_with('k')) kernel = extent_of(word.substr(1, s - 1));
  if (s < word.size()) stride = extent_of(word.substr(s + 1));
  if (!kernel || !stride) return bad_input("'", word, "' is no window; ", kExpected);
  HONE_RETURN_IF_ERROR(check_elements({*kernel, *kernel}));
  return Window{*kernel, *stride};
}

// Padded by half the window.
Attrs window_settings(const Window& window) {
  const int64_t pad = (window.kernel - 1) / 2;
  return {{"kernel_shape", Ints{window.kernel, window.kernel}},
          {"strides", Ints{window.stride, window.stride}},
          {"pads", Ints{pad, pad, pad, pad}}};
}

double deviation_for(double summed) {
  return 1 / std::sqrt(summed);
}

Result<Graph> build_matmul(const OperatorText& text, OperatorBuilder& b) {
  const Shape& s = text.shape;
  if (s.size() != 3 && s.size() != 4) return expected_extents(s, "MxNxK, or BxMxNxK for B of them");
  const size_t m = s.size() - 3;
  Shape left = {s[m], s[m + 2]}, right = {s[m + 2], s[m + 1]};
  if (m == 1) {
    left.insert(left.begin(), s[0]);
    right.insert(right.begin(), s[0]);
  }
  HONE_RETURN_IF_ERROR(b.input("a", left));
  HONE_RETURN_IF_ERROR(b.input("b", right));
  return b.finish("matmul");
}

Result<Graph> build_linear(const OperatorText& text, OperatorBuilder& b) {
  const Shape& s = text.shape;
  if (s.size() != 3) return expected_extents(s, "MxNxK: M rows of K inputs and N outputs");
  HONE_RETURN_IF_ERROR(b.input("input", {s[0], s[2]}));
  HONE_RETURN_IF_ERROR(
      b.constant("weight", {s[1], s[2]}, 0, deviation_for(static_cast<double>(s[2]))));
  HONE_RETURN_IF_ERROR(b.constant("bias", {s[1]}, 0, 0.1));
  return b.finish("gemm", {{"transB", int64_t{1}}});
}

Result<Graph> build_convolution(const OperatorText& text, int64_t groups, int64_t channels,
                                OperatorBuilder& b) {
  HONE_TRY(const Window window, window_of(text));
  const int64_t inputs = text.shape[1] / groups;
  const Shape weight = {channels, inputs, window.kernel, window.kernel};
  HONE_RETURN_IF_ERROR(b.input("input", text.shape));
  const double summed = static_cast<double>(inputs) * static_cast<double>(window.kernel) *
                        static_cast<double>(window.kernel);
  HONE_RETURN_IF_ERROR(b.constant("weight", weight, 0, deviation_for(summed)));
  HONE_RETURN_IF_ERROR(b.constant("bias", {channels}, 0, 0.1));
  Attrs attrs = window_settings(window);
  attrs["group"] = groups;
  return b.finish("conv", std::move(attrs));
}

Result<Graph> build_conv2d(const OperatorText& text, OperatorBuilder& b) {
  HONE_RETURN_IF_ERROR(window_of(text));
  const std::optional<int64_t> channels =
      text.more.size() > 1 ? extent_of(text.more[1]) : std::nullopt;
  if (!channels) return bad_input("no number of output channels behind the window");
  return build_convolution(text, 1, *channels, b);
}

Result<Graph> build_depthwise(const OperatorText& text, OperatorBuilder& b) {
  HONE_RETURN_IF_ERROR(window_of(text));
  return build_convolution(text, text.shape[1], text.shape[1], b);
}

Result<Graph> build_pool(std::string_view op, const OperatorText& text, OperatorBuilder& b) {
  HONE_TRY(const Window window, window_of(text));
  HONE_RETURN_IF_ERROR(b.input("input", text.shape));
  return b.finish(op, window_settings(window));
}

Result<Graph> build_max_pool(const OperatorText& text, OperatorBuilder& b) {
  return build_pool("max_pool", text, b);
}

Result<Graph> build_average_pool(const OperatorText& text, OperatorBuilder& b) {
  return build_pool("average_pool", text, b);
}

Result<Graph> build_layer_norm(const OperatorText& text, OperatorBuilder& b) {
  HONE_RETURN_IF_ERROR(b.input("input", text.shape));
  HONE_RETURN_IF_ERROR(b.constant("weight", {text.shape.back()}, 1, 0.1));
  HONE_RETURN_IF_ERROR(b.constant("bias", {text.shape.back()}, 0, 0.1));
  return b.finish("layer_norm");
}

Result<Graph> build_attention(const OperatorText& text, OperatorBuilder& b) {
  if (text.shape.size() != 4) return expected_extents(text.shape, "four, BxHxSxD");
  for (const char* name : {"q", "k", "v"}) HONE_RETURN_IF_ERROR(b.input(name, text.shape));
  return b.finish("attention");
}

struct OperatorFormDef {
  OperatorForm form;
  size_t more = 0;  // Pieces behind the shape.
  Result<Graph> (*build)(const OperatorText& text, OperatorBuilder& b);
  bool integers = true;  // There is an int8 form.
};

constexpr OperatorFormDef kOperatorForms[] = {
    {{"matmul", "[Bx]MxNxK", "4096x4096x4096",
      "[M, K] times [K, N], both of them inputs; B such products."},
     0,
     build_matmul,
     false},
    {{"linear", "MxNxK", "8x1000x2048",
      "M rows of K inputs to N outputs, with constant weights and bias."},
     0,
     build_linear},
    {{"conv2d", "NxCxHxW:kKsS:O", "1x64x56x56:k3s1:128",
      "K x K convolution in steps of S to O channels, padded by half the window."},
     2,
     build_conv2d},
    {{"depthwise", "NxCxHxW:kKsS", "1x144x56x56:k3s2", "The same of each channel alone."},
     1,
     build_depthwise},
    {{"max_pool", "NxCxHxW:kKsS", "1x64x112x112:k3s2", "The largest of each window."},
     1,
     build_max_pool},
    {{"average_pool", "NxCxHxW:kKsS", "1x64x112x112:k3s2", "The mean of each window."},
     1,
     build_average_pool},
    {{"layer_norm", "SHAPE", "128x768", "Along the last axis, with constant scale and bias."},
     0,
     build_layer_norm,
     false},
    {{"attention", "BxHxSxD", "1x12x384x64",
      "Of H heads, sequences of S and heads of D; q, k and v are inputs."},
     0,
     build_attention,
     false},
};

const OperatorFormDef* find_form(std::string_view kind) {
  const auto found = std::ranges::find(kOperatorForms, kind,
                                       [](const OperatorFormDef& def) { return def.form.kind; });
  return found == std::end(kOperatorForms) ? nullptr : found;
}

bool needs_a_setting(const OpDef& op) {
  return std::ranges::any_of(
      op.attrs, [](const AttrDef& attr) { return attr.presence == AttrDef::Presence::Required; });
}

// How many inputs of one shape the operator computes on; 0 where a shape is not enough for it.
size_t inputs_of_a_shape(const OpDef& op, DType dtype) {
  constexpr OpKind kNothingComputed[] = {OpKind::View, OpKind::Conversion};
  const bool computes = op.eval != nullptr && op.cost != nullptr && !op.random &&
                        op.min_outputs == 1 && std::ranges::count(kNothingComputed, op.kind) == 0;
  if (!computes || needs_a_setting(op) || find_form(op.name) != nullptr) return 0;
  size_t inputs = 0;
  for (const InputDef& input : op.inputs) {
    const bool wanted = input.presence == InputDef::Presence::Required ||
                        input.presence == InputDef::Presence::Variadic;
    if (!wanted) continue;
    if (input.kind != InputDef::Kind::Tensor || !input.types.contains(dtype)) return 0;
    inputs += input.presence == InputDef::Presence::Variadic ? 2 : 1;
  }
  return inputs == 1 || op.kind == OpKind::Broadcast ? inputs : 0;
}

Result<Graph> build_of_a_shape(const OpDef& op, const OperatorText& text, OperatorBuilder& b) {
  const size_t inputs = inputs_of_a_shape(op, b.dtype());
  for (size_t i = 0; i < inputs; ++i) {
    const std::string name = inputs == 1 ? "input" : std::string(1, static_cast<char>('a' + i));
    HONE_RETURN_IF_ERROR(b.input(name, text.shape));
  }
  return b.finish(op.name);
}

std::string spelling_of(std::string_view kind) {
  const OperatorFormDef* def = find_form(kind);
  return str("op:", kind, ":", def != nullptr ? def->form.spelling : "SHAPE", "[:TYPE]");
}

// How others call what has a form here.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"gemm", "linear"},
    {"dense", "linear"},
    {"fully_connected", "linear"},
    {"mm", "matmul"},
    {"bmm", "matmul"},
    {"conv", "conv2d"},
    {"depthwise_conv", "depthwise"},
    {"sdpa", "attention"},
    {"layernorm", "layer_norm"}};

Error no_such_operator(std::string_view kind) {
  for (const auto& [other, form] : kOtherNames) {
    if (kind != other) continue;
    return bad_input("operator '", kind, "' is spelled ", spelling_of(form))
        .needs({HintKind::Network});
  }
  std::vector<std::string> names = operators_of_a_shape();
  for (const OperatorFormDef& def : kOperatorForms) names.emplace_back(def.form.kind);
  if (find_op(kind) != nullptr) {
    return bad_input("operator '", kind,
                     "' cannot be named by a shape alone; a model of that one node can be given")
        .needs({HintKind::Network});
  }
  return bad_input("no operator '", kind, "'", did_you_mean(kind, names))
      .needs({HintKind::Network});
}

Error wrong_type(std::string_view kind, std::string_view type) {
  return bad_input("'", type,
                   "' is no type of an operator; there are: ", join(operator_types(kind)))
      .needs(type == "bf16" || type == "tf32" ? Hint{HintKind::Precision, std::string(type)}
                                              : Hint{});
}

// The last piece where it is one, which is taken off.
Result<std::string_view> take_type(std::string_view kind, Pieces& pieces, size_t without) {
  if (pieces.size() <= without) return std::string_view("fp32");
  if (pieces.size() > without + 1) {
    return bad_input("'", pieces[without + 1], "' is one piece too many");
  }
  const std::string_view type = pieces.back();
  if (std::ranges::count(kOperatorTypes, type) == 0) return wrong_type(kind, type);
  pieces.pop_back();
  return type;
}

Result<OperatorModel> build_named(std::string_view text, Pieces pieces, uint64_t seed) {
  const std::string_view kind = pieces[0];
  const OperatorFormDef* form = find_form(kind);
  const OpDef* op = find_op(kind);
  constexpr size_t kKindAndShape = 2;
  const size_t more = form == nullptr ? 0 : form->more;
  // A piece that is missing may be told by a type in its place.
  const bool short_of = pieces.size() <= kKindAndShape + more &&
                        std::ranges::count(kOperatorTypes, pieces.back()) > 0;
  HONE_TRY(const std::string_view type,
           take_type(kind, pieces, short_of ? pieces.size() - 1 : kKindAndShape + more));
  if (pieces.size() < kKindAndShape) return bad_input("no shape behind the operator");
  const DType dtype = type == "fp16" ? DType::F16 : DType::F32;
  OperatorText words;
  HONE_TRY(words.shape, shape_of_text(pieces[1]));
  words.more.assign(pieces.begin() + kKindAndShape, pieces.end());
  OperatorBuilder builder(text, dtype, seed);
  OperatorModel model;
  model.quantized = type == "int8";
  if (form == nullptr && inputs_of_a_shape(*op, dtype) == 0) {
    return bad_input("operator '", kind, "' does not compute in ", type);
  }
  HONE_TRY(model.graph,
           form != nullptr ? form->build(words, builder) : build_of_a_shape(*op, words, builder));
  return model;
}

}  // namespace

Result<OperatorModel> build_operator(std::string_view text, uint64_t seed) {
  Pieces pieces = pieces_between(text, ':');
  const std::string_view kind = pieces[0];
  const OpDef* op = find_op(kind);
  const bool by_shape = op != nullptr && inputs_of_a_shape(*op, DType::F32) > 0;
  if (find_form(kind) == nullptr && !by_shape) return no_such_operator(kind);
  Result<OperatorModel> model = build_named(text, std::move(pieces), seed);
  if (model.ok()) return model;
  Error error = std::move(model).error();
  error.message += str("; spelled ", spelling_of(kind));
  return error;
}

std::string batched_operator(std::string_view text, int64_t batch) {
  Pieces pieces = pieces_between(text, ':');
  const Result<Shape> shape = shape_of_text(pieces[1]);
  HONE_CHECK(shape.ok(), "an operator without a shape: ", text);
  constexpr size_t kOneProduct = 3;
  Shape larger = *shape;
  if (pieces[0] == "matmul" && larger.size() == kOneProduct) larger.insert(larger.begin(), 1);
  larger[0] *= batch;
  std::vector<std::string> extents;
  for (const int64_t extent : larger) extents.push_back(str(extent));
  const std::string shape_text = join(extents, "x");
  pieces[1] = shape_text;
  return join(pieces, ":");
}

std::vector<std::string_view> operator_types(std::string_view kind) {
  const OperatorFormDef* def = find_form(kind);
  std::vector<std::string_view> types(std::begin(kOperatorTypes), std::end(kOperatorTypes));
  if (def != nullptr && !def->integers) std::erase(types, "int8");
  return types;
}

std::vector<OperatorForm> operator_forms() {
  std::vector<OperatorForm> forms;
  for (const OperatorFormDef& def : kOperatorForms) forms.push_back(def.form);
  return forms;
}

// Some need a setting that their definition does not ask for: one try tells.
std::vector<std::string> operators_of_a_shape() {
  const OperatorText any{.shape = {1, 2, 2, 2}};
  std::vector<std::string> names;
  for (const OpDef* op : all_ops()) {
    if (inputs_of_a_shape(*op, DType::F32) == 0) continue;
    OperatorBuilder builder(op->name, DType::F32, 0);
    if (build_of_a_shape(*op, any, builder).ok()) names.emplace_back(op->name);
  }
  return names;
}

}  // namespace hone
