// einsum("ij,jk->ik", a, b): sums of products over the indices that the output does not name. A
// letter repeated in one term takes the diagonal; "..." stands for axes that broadcast; without
// "->" the output has the broadcast axes and then, in alphabetical order, the letters that occur
// once.

#include <algorithm>
#include <cctype>
#include <map>

#include "hone/ops/common.h"
#include "hone/ops/matmul/batch_product.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// Axes under "..." get labels above all letters, the last axis the lowest.
constexpr int kFirstEllipsisLabel = 256;
using Labels = std::vector<int>;

struct Term {
  std::string letters;             // Without the dots.
  std::optional<size_t> ellipsis;  // Where the dots stood among them.
};

struct Equation {
  std::vector<Term> inputs;
  std::optional<Term> output;
};

Result<Term> parse_term(const std::string& text) {
  Term term;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (std::isalpha(c) != 0) {
      term.letters += text[i];
    } else if (text.compare(i, 3, "...") == 0 && !term.ellipsis) {
      term.ellipsis = term.letters.size();
      i += 2;
    } else {
      return bad_input("equation has '", text, "', expected letters and at most one '...'");
    }
  }
  return term;
}

Result<Equation> parse(const std::string& text) {
  std::string dense;
  for (const char c : text) {
    if (c != ' ') dense += c;
  }
  Equation equation;
  const size_t arrow = dense.find("->");
  std::string inputs = dense.substr(0, arrow) + ",";
  for (size_t comma = inputs.find(','); comma != std::string::npos; comma = inputs.find(',')) {
    HONE_TRY(Term term, parse_term(inputs.substr(0, comma)));
    equation.inputs.push_back(std::move(term));
    inputs.erase(0, comma + 1);
  }
  if (arrow != std::string::npos) {
    HONE_TRY(equation.output, parse_term(dense.substr(arrow + 2)));
  }
  return equation;
}

Result<Labels> labels_of(const Term& term, size_t rank) {
  const size_t named = term.letters.size();
  if (rank < named || (rank > named && !term.ellipsis)) {
    return bad_input("the term '", term.letters, "' names ", named, " axes of a tensor of rank ",
                     rank);
  }
  Labels labels(term.letters.begin(), term.letters.end());
  if (!term.ellipsis) return labels;
  Labels dots;
  for (size_t i = rank - named; i-- > 0;) dots.push_back(kFirstEllipsisLabel + static_cast<int>(i));
  labels.insert(labels.begin() + static_cast<ptrdiff_t>(*term.ellipsis), dots.begin(), dots.end());
  return labels;
}

struct Contraction {
  std::vector<Labels> inputs;
  Labels output;
  Labels summed;
  std::map<int, int64_t> extents;
};

Status add_extents(const Labels& labels, const Shape& shape, std::map<int, int64_t>& extents) {
  for (size_t i = 0; i < labels.size(); ++i) {
    int64_t& extent = extents.try_emplace(labels[i], shape[i]).first->second;
    if (extent == 1 || extent == kUnknown) {
      if (shape[i] != 1 || extent == 1) extent = shape[i];
    } else if (shape[i] != extent && shape[i] != 1 && shape[i] != kUnknown) {
      return bad_input("an index runs over ", extent, " and over ", shape[i]);
    }
  }
  return Done{};
}

// The output that an equation without "->" means.
Labels implicit_output(const std::vector<Labels>& inputs) {
  std::map<int, int> uses;
  for (const Labels& labels : inputs) {
    for (const int label : labels) ++uses[label];
  }
  Labels output;
  for (const auto& [label, count] : uses) {
    if (label >= kFirstEllipsisLabel) output.insert(output.begin(), label);
  }
  for (const auto& [label, count] : uses) {
    if (label < kFirstEllipsisLabel && count == 1) output.push_back(label);
  }
  return output;
}

Result<Labels> explicit_output(const Term& term, const std::map<int, int64_t>& extents) {
  size_t dots = 0;
  for (const auto& [label, extent] : extents) dots += label >= kFirstEllipsisLabel ? 1u : 0u;
  HONE_TRY(Labels output, labels_of(term, term.letters.size() + (term.ellipsis ? dots : 0)));
  for (size_t i = 0; i < output.size(); ++i) {
    if (!extents.contains(output[i])) return bad_input("the output names an index of no input");
    if (std::count(output.begin(), output.end(), output[i]) > 1) {
      return bad_input("the output names an index twice");
    }
  }
  return output;
}

Result<Contraction> contraction_of(const NodeContext& node, const std::vector<Shape>& shapes) {
  HONE_TRY(const Equation equation, parse(node.text("equation")));
  if (equation.inputs.size() != shapes.size()) {
    return bad_input("the equation has ", equation.inputs.size(), " terms for ", shapes.size(),
                     " inputs");
  }
  Contraction contraction;
  for (size_t i = 0; i < shapes.size(); ++i) {
    HONE_TRY(Labels labels, labels_of(equation.inputs[i], shapes[i].size()));
    HONE_RETURN_IF_ERROR(add_extents(labels, shapes[i], contraction.extents));
    contraction.inputs.push_back(std::move(labels));
  }
  if (equation.output) {
    HONE_TRY(contraction.output, explicit_output(*equation.output, contraction.extents));
  } else {
    contraction.output = implicit_output(contraction.inputs);
  }
  for (const auto& [label, extent] : contraction.extents) {
    const bool kept = std::ranges::find(contraction.output, label) != contraction.output.end();
    if (!kept) contraction.summed.push_back(label);
  }
  return contraction;
}

Shape extents_of(const Contraction& contraction, const Labels& labels) {
  Shape shape;
  for (const int label : labels) shape.push_back(contraction.extents.at(label));
  return shape;
}

Result<std::vector<ValueType>> infer_einsum(const InferContext& in) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < in.inputs(); ++i) {
    if (!in.type(i).ranked) return std::vector<ValueType>{TensorType::unranked(in.dtype(0))};
    shapes.push_back(in.type(i).shape);
  }
  HONE_TRY(const Contraction contraction, contraction_of(in, shapes));
  return std::vector<ValueType>{
      TensorType{in.dtype(0), extents_of(contraction, contraction.output)}};
}

Cost cost_einsum(const InferContext& in) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < in.inputs(); ++i) {
    if (!in.type(i).known()) return {};
    shapes.push_back(in.type(i).shape);
  }
  const auto contraction = contraction_of(in, shapes);
  if (!contraction.ok()) return {};
  Shape all;
  for (const auto& [label, extent] : contraction->extents) all.push_back(extent);
  return {.macs = product_or_zero(all), .flops = 0};
}

// How far each of `order` moves through an operand: the strides of all its axes of that label.
std::vector<int64_t> strides_along(const Labels& labels, const Shape& shape, const Labels& order) {
  const std::vector<int64_t> dense = strides_of(shape);
  std::vector<int64_t> strides(order.size());
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto at = std::ranges::find(order, labels[i]) - order.begin();
    if (shape[i] != 1) strides[static_cast<size_t>(at)] += dense[i];
  }
  return strides;
}

// Sums are taken in Sum: double for floats, uint64_t for integers, which wrap as all integers do.
template <class T, class Sum>
void contract(EvalContext& in, const Contraction& contraction) {
  Labels order = contraction.output;
  order.insert(order.end(), contraction.summed.begin(), contraction.summed.end());
  const Shape shape = extents_of(contraction, order);
  std::vector<std::vector<int64_t>> strides;
  std::vector<const T*> data;
  for (size_t i = 0; i < in.inputs(); ++i) {
    strides.push_back(strides_along(contraction.inputs[i], in.in(i).shape(), order));
    data.push_back(in.in(i).data<T>().data());
  }
  strides.push_back(strides_along(contraction.output, in.out().shape(), order));
  std::vector<Sum> sums(static_cast<size_t>(in.out().elements()));
  // The last index runs in a loop of its own.
  std::vector<int64_t> steps;
  for (const auto& stride : strides) steps.push_back(stride.empty() ? 0 : stride.back());
  const int64_t length = shape.empty() ? 1 : shape.back();
  const auto outer = std::span(shape).first(shape.empty() ? 0 : shape.size() - 1);
  for (IndexWalk walk(outer, strides); !walk.done(); walk.next()) {
    Sum* to = sums.data() + walk.offset(data.size());
    for (int64_t k = 0; k < length; ++k) {
      Sum product = 1;
      for (size_t i = 0; i < data.size(); ++i) {
        product *= static_cast<Sum>(Compute<T>(data[i][walk.offset(i) + k * steps[i]]));
      }
      to[k * steps.back()] += product;
    }
  }
  const auto y = in.out().template mutable_data<T>();
  for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(static_cast<Compute<T>>(sums[i]));
}

Status eval_einsum(EvalContext& in) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < in.inputs(); ++i) shapes.push_back(in.in(i).shape());
  HONE_TRY(const Contraction contraction, contraction_of(in, shapes));
  dispatch_numeric(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    contract<T, std::conditional_t<std::is_integral_v<T>, uint64_t, double>>(in, contraction);
  });
  return Done{};
}

}  // namespace

extern const OpDef op_einsum = {
    .name = "einsum",
    .summary = "Einstein summation.",
    .inputs = {{"inputs", kNumeric, 'T', kVariadic}},
    .attrs = {{"equation", std::string(), kRequired}},
    .infer = infer_einsum,
    .cost = cost_einsum,
    .eval = eval_einsum,
    .onnx = {{"Einsum"}},
    .cases = {"(f32[2,3], f32[3,4]) equation=\"ij,jk->ik\"", "(f32[3,3]) equation=\"ii\""},
};

}  // namespace hone
