#include "tests/random/moves.h"

namespace hone {
namespace {

// An image [batch, channels, height, width] with elements.
Value* image(GraphMaker& make) {
  Value* x = make.pick(DType::F32, 4);
  return x != nullptr && x->type.tensor.elements() > 0 ? x : nullptr;
}
int64_t channels(const Value& x) {
  return x.type.tensor.shape[1];
}

Attrs window(GraphMaker& make, int64_t kernel_h, int64_t kernel_w) {
  Dice& dice = make.dice;
  const Ints strides = {dice.between(1, 3), dice.between(1, 3)};
  Ints pads;
  for (const int64_t kernel : {kernel_h, kernel_w, kernel_h, kernel_w}) {
    pads.push_back(dice.between(0, kernel - 1));
  }
  return {{"strides", strides}, {"pads", pads}};
}

void conv(GraphMaker& make) {
  Value* x = image(make);
  if (x == nullptr) return;
  const int64_t in = channels(*x), kernel_h = make.dice.between(1, 4),
                kernel_w = make.dice.between(1, 4);
  const int64_t kind = make.dice.between(0, 3);  // Depthwise, grouped, or plain.
  const int64_t group = kind == 0 ? in : kind == 1 && in % 2 == 0 ? 2 : 1;
  const int64_t out = kind == 0 ? in * make.dice.between(1, 2) : group * make.dice.between(1, 10);
  Value* w = make.floats({out, in / group, kernel_h, kernel_w});
  Value* b = make.dice.chance(60) ? make.floats({out}) : nullptr;
  Attrs attrs = window(make, kernel_h, kernel_w);
  attrs["group"] = group;
  if (make.dice.chance(20)) attrs["dilations"] = Ints{2, make.dice.between(1, 3)};
  make.add("conv", {x, w, b}, std::move(attrs));
}

void conv_transpose(GraphMaker& make) {
  Value* x = image(make);
  if (x == nullptr) return;
  const int64_t kernel_h = make.dice.between(1, 3), kernel_w = make.dice.between(1, 3);
  Value* w = make.floats({channels(*x), make.dice.between(1, 8), kernel_h, kernel_w});
  Attrs attrs = {{"strides", Ints{make.dice.between(1, 2), make.dice.between(1, 2)}}};
  make.add("conv_transpose", {x, w}, std::move(attrs));
}

// A convolution of weights that a run computes.
void conv_of_computed(GraphMaker& make) {
  Value* x = image(make);
  if (x == nullptr) return;
  Value* w =
      make.input(DType::F32, {make.dice.between(1, 6), channels(*x), 1, make.dice.between(1, 3)});
  make.hide(w);
  make.add("conv", {x, w});
}

void pool(GraphMaker& make) {
  Value* x = image(make);
  if (x == nullptr) return;
  const int64_t kernel_h = make.dice.between(1, 3), kernel_w = make.dice.between(1, 3);
  const bool mean = make.dice.chance(60);
  Attrs attrs = window(make, kernel_h, kernel_w);
  attrs["kernel_shape"] = Ints{kernel_h, kernel_w};
  attrs["ceil_mode"] = make.dice.between(0, 1);
  if (mean) attrs["count_include_pad"] = make.dice.between(0, 1);
  make.add(mean ? "average_pool" : "max_pool", {x}, std::move(attrs));
}

void global_pool(GraphMaker& make) {
  if (Value* x = image(make)) make.add("global_average_pool", {x});
}

void batch_norm(GraphMaker& make) {
  Value* x = image(make);
  if (x == nullptr) return;
  const Shape shape = {channels(*x)};
  Value* scale = make.floats(shape, 0.5, 1.5);
  Value* shift = make.floats(shape);
  Value* mean = make.floats(shape);
  make.add("batch_norm", {x, scale, shift, mean, make.floats(shape, 0.5, 2)});
}

void instance_norm(GraphMaker& make) {
  Value* x = image(make);
  if (x == nullptr) return;
  Value* scale = make.floats({channels(*x)});
  make.add("instance_norm", {x, scale, make.floats({channels(*x)})});
}

void dense(GraphMaker& make) {
  Value* x = make.pick(DType::F32, 2);
  if (x == nullptr) return;
  const int64_t in = x->type.tensor.shape[1], out = make.dice.between(1, 20);
  const bool turned = make.dice.chance(50);
  Value* w = make.floats(turned ? Shape{out, in} : Shape{in, out});
  Value* b = make.dice.chance(50) ? make.floats({out}) : nullptr;
  make.add("gemm", {x, w, b}, {{"transB", int64_t{turned}}});
}

void matmul(GraphMaker& make) {
  Value* x = make.pick(DType::F32);
  if (x == nullptr || x->type.tensor.rank() < 2) return;
  Value* y = make.floats({x->type.tensor.shape.back(), make.dice.between(1, 12)});
  if (make.dice.chance(30)) {
    y = make.apply("transpose", {x}, {{"perm", x->type.tensor.rank() == 2 ? Ints{1, 0} : Ints{}}});
  }
  make.add("matmul", {x, y});
}

void activation(GraphMaker& make) {
  static const std::vector<std::string> kOps = {
      "relu", "sigmoid", "tanh",     "hard_swish", "hard_sigmoid", "gelu",     "elu",
      "abs",  "neg",     "softplus", "leaky_relu", "swish",        "softsign", "exp"};
  if (Value* x = make.pick(DType::F32)) make.add(make.dice.one_of(kOps), {x});
}

void clip(GraphMaker& make) {
  Value* x = make.pick(DType::F32);
  if (x == nullptr) return;
  // Now and then the least is above the most.
  Value* low = make.dice.chance(80) ? make.floats({}, -1, 0.2) : nullptr;
  make.add("clip", {x, low, make.dice.chance(80) ? make.floats({}, -0.2, 1) : nullptr});
}

// x * sigmoid(x) and the like by parts, which passes put together; the constant may have more axes.
void swish_by_parts(GraphMaker& make) {
  Value* x = make.pick(DType::F32);
  if (x == nullptr) return;
  Value* half = make.floats(make.dice.chance(50) ? Shape{} : Shape{1, 1, 1}, 0.5, 0.5);
  if (make.dice.chance(50)) {
    if (Value* gate = make.apply("sigmoid", {x})) make.add("mul", {x, gate});
  } else if (Value* gate = make.apply("hard_sigmoid", {x}, {{"alpha", 1.0 / 6}, {"beta", 0.5}})) {
    if (Value* y = make.apply("mul", {x, gate})) make.add("mul", {y, half});
  }
}

void sum(GraphMaker& make) {
  static const std::vector<std::string> kOps = {"add", "sub", "mul", "max", "min"};
  Value* x = make.pick(DType::F32);
  if (x == nullptr) return;
  const Shape& shape = x->type.tensor.shape;
  Value* y = make.pick(DType::F32);
  if (make.dice.chance(60)) {
    const std::vector<Shape> others = {shape, {}, {1}, Shape(shape.size(), 1), {1, 1, 1, 1, 1}};
    y = make.floats(make.dice.one_of(others));
  }
  const std::string& op = make.dice.one_of(kOps);
  make.dice.chance(50) ? make.add(op, {x, y}) : make.add(op, {y, x});
}

void softmax(GraphMaker& make) {
  Value* x = make.pick(DType::F32);
  if (x == nullptr || x->type.tensor.rank() == 0) return;
  const int64_t axis = make.dice.between(-x->type.tensor.rank(), x->type.tensor.rank() - 1);
  make.add(make.dice.chance(70) ? "softmax" : "log_softmax", {x}, {{"axis", axis}});
}

void layer_norm(GraphMaker& make) {
  Value* x = make.pick(DType::F32);
  if (x == nullptr || x->type.tensor.rank() == 0) return;
  const int64_t n = x->type.tensor.shape.back();
  Value* scale = make.floats({n});
  make.add("layer_norm", {x, scale, make.floats({n})});
}

void reduce(GraphMaker& make) {
  static const std::vector<std::string> kOps = {"reduce_mean", "reduce_sum", "reduce_max",
                                                "reduce_min",  "reduce_l2",  "reduce_sum_square"};
  Value* x = make.pick(DType::F32);
  if (x == nullptr || x->type.tensor.rank() == 0) return;
  const std::string op = make.dice.one_of(kOps);
  if (x->type.tensor.elements() == 0) return;
  Value* axes = make.numbers({make.dice.between(0, x->type.tensor.rank() - 1)});
  make.add(op, {x, axes}, {{"keepdims", make.dice.between(0, 1)}});
}

}  // namespace

Value* through_pair(GraphMaker& make, Value* value) {
  const bool is_signed = make.dice.chance(70);
  const int64_t least = is_signed ? -128 : 0;
  const DType dtype = is_signed ? DType::I8 : DType::U8;
  Value* scale = make.floats({}, 0.004, 0.05);
  Value* zero = make.integers(dtype, {}, least, least + 255);
  if (make.dice.chance(40)) zero = make.integers(dtype, {}, least + 128, least + 128);
  Value* stored = make.apply("quantize_linear", {value, scale, zero});
  if (stored == nullptr) return nullptr;
  make.hide(stored);
  make.hide(value);
  return make.apply("dequantize_linear", {stored, scale, zero});
}

const std::vector<Move>& layer_moves() {
  static const std::vector<Move> kMoves = {
      conv,           conv,   conv,       conv_transpose, conv_of_computed,
      pool,           pool,   dense,      batch_norm,     instance_norm,
      global_pool,    matmul, activation, clip,           activation,
      swish_by_parts, sum,    sum,        softmax,        reduce,
      layer_norm};
  return kMoves;
}

}  // namespace hone
