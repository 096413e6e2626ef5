#include "hone/ops/rnn/recurrent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/ops/common.h"
#include "hone/ops/expect_shape.h"
#include "hone/ops/matmul/batch_product.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/rnn/gate_functions.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr size_t kRecurrentX = 0, kW = 1, kR = 2, kB = 3, kLengths = 4, kInitialH = 5,
                 kInitialC = 6, kP = 7;
constexpr int64_t kLargestHidden = int64_t{1} << 31;

struct RecurrentExtents {
  int64_t steps = kUnknown;
  int64_t batch = kUnknown;
  int64_t inputs = kUnknown;
  int64_t hidden = kUnknown;
  int64_t directions = 1;
  bool batch_first = false;

  Shape state() const {
    return batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  }
  Shape sequence() const {
    return batch_first ? Shape{batch, steps, directions, hidden}
                       : Shape{steps, directions, batch, hidden};
  }
};

Result<int64_t> directions_of(const NodeContext& node) {
  const std::string& direction = node.text("direction");
  if (direction == "bidirectional") return int64_t{2};
  if (direction == "forward" || direction == "reverse") return int64_t{1};
  return bad_input("direction is '", direction, "', expected forward, reverse or bidirectional");
}

Result<RecurrentExtents> extents_of(const NodeContext& node, const TensorType& x,
                                    const TensorType& r) {
  RecurrentExtents extents;
  HONE_TRY(extents.directions, directions_of(node));
  extents.batch_first = node.integer("layout") != 0;
  if (x.ranked) {
    if (x.rank() != 3) return bad_input("x has rank ", x.rank(), ", expected 3");
    extents.steps = x.shape[extents.batch_first ? 1 : 0];
    extents.batch = x.shape[extents.batch_first ? 0 : 1];
    extents.inputs = x.shape[2];
  }
  if (r.ranked && r.rank() == 3) extents.hidden = r.shape[2];
  if (node.has_attr("hidden_size")) {
    const int64_t given = node.integer("hidden_size");
    if (given < 1 || given > kLargestHidden ||
        (extents.hidden != kUnknown && extents.hidden != given)) {
      return bad_input("hidden_size is ", given, ", but r has ", extents.hidden, " columns");
    }
    extents.hidden = given;
  }
  if (extents.hidden > kLargestHidden) return bad_input("hidden size ", extents.hidden);
  return extents;
}

int64_t times(int64_t factor, int64_t extent) {
  return extent == kUnknown ? kUnknown : factor * extent;
}

// Everything of one node, in double.
class Recurrence {
 public:
  Recurrence(EvalContext& in, const RecurrentDef& def, const RecurrentExtents& extents)
      : in_(in),
        def_(def),
        extents_(extents),
        width_(def.gates * extents.hidden),
        x_(to_doubles(in.in(kRecurrentX))),
        w_(to_doubles(in.in(kW))),
        r_(to_doubles(in.in(kR))),
        b_(values(kB, extents.directions * 2 * width_)),
        h_(values(kInitialH, elements(extents.state()))),
        c_(values(kInitialC, elements(extents.state()))),
        p_(values(kP, extents.directions * 3 * extents.hidden)),
        y_(static_cast<size_t>(elements(extents.sequence()))) {}

  Status run(const std::vector<GateFunction>& functions) {
    HONE_TRY(const std::vector<int64_t> lengths, sequence_lengths());
    const size_t per_direction = def_.functions.size();
    for (int64_t d = 0; d < extents_.directions; ++d) {
      const bool reverse = d == 1 || in_.text("direction") == "reverse";
      const RecurrentCell cell{
          .hidden = extents_.hidden,
          .r = r_.data() + d * width_ * extents_.hidden,
          .r_bias = b_.data() + (2 * d + 1) * width_,
          .p = p_.data() + d * 3 * extents_.hidden,
          .functions =
              std::span(functions).subspan(static_cast<size_t>(d) * per_direction, per_direction),
          .clip =
              in_.has_attr("clip") ? in_.real("clip") : std::numeric_limits<double>::infinity()};
      const std::vector<double> gates = input_gates(d);
      for (int64_t n = 0; n < extents_.batch; ++n) {
        run_sequence(cell, gates, d, n, lengths[static_cast<size_t>(n)], reverse);
      }
    }
    store(0, y_);
    store(1, h_);
    if (def_.has_cell_state) store(2, c_);
    return Done{};
  }

 private:
  std::vector<double> values(size_t input, int64_t count) const {
    if (in_.has(input)) return to_doubles(in_.in(input));
    return std::vector<double>(static_cast<size_t>(count));
  }

  Result<std::vector<int64_t>> sequence_lengths() const {
    if (!in_.has(kLengths)) {
      return std::vector<int64_t>(static_cast<size_t>(extents_.batch), extents_.steps);
    }
    std::vector<int64_t> lengths = to_ints(in_.in(kLengths));
    for (const int64_t length : lengths) {
      if (length < 0 || length > extents_.steps) {
        return bad_input("sequence_lens has ", length, " for ", extents_.steps, " steps");
      }
    }
    return lengths;
  }

  // w times every input plus w's bias, in the order of x: [rows of x][gates * hidden].
  std::vector<double> input_gates(int64_t direction) const {
    const int64_t rows = extents_.steps * extents_.batch;
    const double* bias = b_.data() + 2 * direction * width_;
    std::vector<double> gates(static_cast<size_t>(rows * width_));
    for (size_t i = 0; i < gates.size(); ++i) gates[i] = bias[i % static_cast<size_t>(width_)];
    if (rows == 0 || width_ == 0 || extents_.inputs == 0) return gates;
    const double* w = w_.data() + direction * width_ * extents_.inputs;
    multiply<double>({x_.data(), extents_.inputs, 1}, {w, 1, extents_.inputs},
                     {gates.data(), width_, 1}, rows, extents_.inputs, width_);
    return gates;
  }

  void run_sequence(const RecurrentCell& cell, const std::vector<double>& gates, int64_t d,
                    int64_t n, int64_t length, bool reverse) {
    const int64_t hidden = extents_.hidden;
    const int64_t state =
        extents_.batch_first ? n * extents_.directions + d : d * extents_.batch + n;
    double* h = h_.data() + state * hidden;
    double* c = c_.data() + state * hidden;
    std::vector<double> next(static_cast<size_t>(hidden));
    for (int64_t i = 0; i < length; ++i) {
      const int64_t t = reverse ? length - 1 - i : i;
      const int64_t row = extents_.batch_first ? n * extents_.steps + t : t * extents_.batch + n;
      def_.step(in_, cell, {gates.data() + row * width_, h, next.data(), c});
      std::copy(next.begin(), next.end(), h);
      const int64_t out = extents_.batch_first ? (n * extents_.steps + t) * extents_.directions + d
                                               : (t * extents_.directions + d) * extents_.batch + n;
      std::copy(next.begin(), next.end(), y_.data() + out * hidden);
    }
  }

  void store(size_t output, const std::vector<double>& values) {
    if (in_.outputs() <= output) return;
    dispatch_float(in_.in(kRecurrentX).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto y = in_.out(output).template mutable_data<T>();
      for (size_t i = 0; i < y.size(); ++i) y[i] = T(values[i]);
    });
  }

  EvalContext& in_;
  const RecurrentDef& def_;
  const RecurrentExtents& extents_;
  int64_t width_;
  std::vector<double> x_, w_, r_, b_, h_, c_, p_, y_;
};

}  // namespace

double RecurrentCell::recur(int64_t row, const double* h) const {
  double sum = 0;
  for (int64_t i = 0; i < hidden; ++i) sum += r[row * hidden + i] * h[i];
  return sum;
}

double RecurrentCell::apply(size_t which, double x) const {
  return functions[which](std::min(std::max(x, -clip), clip));
}

Result<std::vector<ValueType>> infer_recurrent(const InferContext& in, const RecurrentDef& def) {
  HONE_TRY(const RecurrentExtents extents, extents_of(in, in.type(kRecurrentX), in.type(kR)));
  const int64_t directions = extents.directions;
  const int64_t width = times(def.gates, extents.hidden);
  HONE_RETURN_IF_ERROR(expect_shape(in, kW, {directions, width, extents.inputs}));
  HONE_RETURN_IF_ERROR(expect_shape(in, kR, {directions, width, extents.hidden}));
  HONE_RETURN_IF_ERROR(expect_shape(in, kB, {directions, times(2, width)}));
  HONE_RETURN_IF_ERROR(expect_shape(in, kLengths, {extents.batch}));
  HONE_RETURN_IF_ERROR(expect_shape(in, kInitialH, extents.state()));
  HONE_RETURN_IF_ERROR(expect_shape(in, kInitialC, extents.state()));
  HONE_RETURN_IF_ERROR(expect_shape(in, kP, {directions, times(3, extents.hidden)}));
  HONE_RETURN_IF_ERROR(gate_functions(in, def.functions, directions));
  if (in.has_attr("clip") && !(in.real("clip") >= 0)) {
    return bad_input("clip is ", in.real("clip"), ", expected 0 or more");
  }
  const DType dtype = in.dtype(kRecurrentX);
  return std::vector<ValueType>{TensorType{dtype, extents.sequence()},
                                TensorType{dtype, extents.state()},
                                TensorType{dtype, extents.state()}};
}

Cost recurrent_cost(const InferContext& in) {
  const TensorType& x = in.type(kRecurrentX);
  const TensorType& w = in.type(kW);
  const TensorType& r = in.type(kR);
  if (!x.known() || !w.known() || !r.known() || x.rank() != 3) return {};
  const int64_t factors[] = {x.shape[0], x.shape[1], w.elements() + r.elements()};
  return {.macs = product_or_zero(factors), .flops = 0};
}

Status eval_recurrent(EvalContext& in, const RecurrentDef& def) {
  HONE_TRY(const RecurrentExtents extents,
           extents_of(in, in.in(kRecurrentX).type(), in.in(kR).type()));
  HONE_TRY(const auto functions, gate_functions(in, def.functions, extents.directions));
  return Recurrence(in, def, extents).run(functions);
}

std::vector<AttrDef> recurrent_attrs(std::vector<AttrDef> more) {
  std::vector<AttrDef> attrs = {{"activation_alpha", Floats{}},
                                {"activation_beta", Floats{}},
                                {"activations", Strings{}},
                                {"clip", 0.0, kAbsent},
                                {"direction", std::string("forward")},
                                {"hidden_size", int64_t{0}, kAbsent},
                                {"layout", int64_t{0}}};
  attrs.insert(attrs.end(), more.begin(), more.end());
  return attrs;
}

Status upgrade_recurrent(OnnxImport& in) {
  in.take<int64_t>("output_sequence", 0);
  return Done{};
}

}  // namespace hone
