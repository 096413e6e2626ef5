// Writes a network layer by layer, as a training framework's export would hold it: nchw, batch 1,
// float32, batch norms not folded. Every layer is a node and a source of the graph, and has its
// type from the moment it is added, so the next one can ask for its channels.
//
// Weights are drawn from the network's seed and the layer's name. So that values stay in a sane
// range at any depth, the builder keeps an estimate of every value's mean square, and scales each
// weight for a result of mean square 1; after a relu this is He's initialization.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hone/graph/graph.h"
#include "hone/ops/infer_types.h"
#include "hone/zoo/weights.h"

namespace hone {

enum class Nonlinearity { None, Relu, Relu6, Swish, HardSwish };

enum class Padding {
  Half,   // (kernel - 1) / 2 on both sides.
  Valid,  // None.
  Same,   // TensorFlow's: ceil(extent / stride) results, the odd row or column at the end.
  Full,   // kernel - 1 on both sides: every result that sees any of x.
};

enum class Resizing { Nearest, Bilinear, BilinearCorners };  // The last aligns the corners.

struct Conv {
  int64_t channels = 0;  // Of the result.
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t groups = 1;
  Padding padding = Padding::Half;
  bool bias = false;
  int64_t kernel_w = 0;  // 0: as `kernel`.
  int64_t dilation = 1;
  double deviation = 1;  // About that of the result.
};

// The multiple of 8 nearest to `channels`, but not below 90 % of it: how the MobileNet papers round
// scaled widths.
int64_t round_channels(double channels);

class NetworkBuilder {
 public:
  // `period` is that of WeightSource.
  NetworkBuilder(std::string_view name, uint64_t seed, size_t period = 0);

  Value* input(std::string_view name, Shape shape, DType dtype = DType::F32);

  Value* conv(Value* x, const Conv& conv, const std::string& name);
  // `padding` is what a convolution from the result to x would have.
  Value* conv_transpose(Value* x, const Conv& conv, const std::string& name);
  // `scale` is the mean of the factors.
  Value* batch_norm(Value* x, const std::string& name, double epsilon = 1e-5, double scale = 1);
  Value* activation(Value* x, Nonlinearity kind, const std::string& name);
  Value* leaky_relu(Value* x, double alpha, const std::string& name);
  // conv, batch_norm and activation as name.0, name.1 and name.2. Without activation, as the blocks
  // of a residual network end, the batch norm halves the result, so that long sums do not grow.
  Value* conv_bn(Value* x, const Conv& conv, Nonlinearity kind, const std::string& name,
                 double epsilon = 1e-5);
  // x * gate(expand(activation(reduce(mean of x)))) per channel; `gate` is "sigmoid" or
  // "hard_sigmoid".
  Value* squeeze_excite(Value* x, int64_t channels, Nonlinearity kind, std::string_view gate,
                        const std::string& name);
  // x [1, n] times a weight [channels, n], plus a bias.
  Value* linear(Value* x, int64_t channels, const std::string& name);
  // x [..., n] times a weight [n, channels], plus a bias: a matmul and an add.
  Value* project(Value* x, int64_t channels, const std::string& name);
  Value* layer_norm(Value* x, const std::string& name, double epsilon = 1e-5);

  Value* max_pool(Value* x, int64_t kernel, int64_t stride, const std::string& name,
                  Padding padding = Padding::Half, bool ceil_mode = false);
  // Without padding; strides as the window.
  Value* average_pool(Value* x, int64_t kernel_h, int64_t kernel_w, const std::string& name);
  // What lies outside of x does not count.
  Value* mean_pool(Value* x, int64_t kernel, int64_t stride, const std::string& name,
                   Padding padding = Padding::Half, bool ceil_mode = false);
  // In steps of 1 and as large as x; what lies outside of x does not count.
  Value* smooth(Value* x, int64_t kernel, const std::string& name);
  Value* global_average_pool(Value* x, const std::string& name);
  Value* flatten(Value* x, const std::string& name);
  Value* softmax(Value* x, const std::string& name);
  Value* concat(std::vector<Value*> parts, int64_t axis, const std::string& name);
  std::vector<Value*> split(Value* x, const Ints& sizes, int64_t axis, const std::string& name);
  // Positions `begin` to `end` of `axis`.
  Value* slice(Value* x, int64_t begin, int64_t end, int64_t axis, const std::string& name);
  // Nearest, twice as high and wide.
  Value* upsample(Value* x, const std::string& name);
  // As high and wide as `like`, whatever size the input is given later.
  Value* resize_like(Value* x, Value* like, Resizing kind, const std::string& name);
  Value* reshape(Value* x, const Ints& shape, const std::string& name);
  // To the shape of `like`, whatever size the input is given later.
  Value* reshape_like(Value* x, Value* like, const std::string& name);
  // The channels of `groups` groups by turns: a reshape, a transpose and a reshape.
  Value* shuffle_channels(Value* x, int64_t groups, const std::string& name);
  Value* transpose(Value* x, const Ints& order, const std::string& name);
  // Operators of one result and no weights: "add", "mul", "sigmoid", "matmul", ...
  Value* apply(std::string_view op, std::vector<Value*> inputs, const std::string& name,
               Attrs attrs = {});

  // One constant per value and network, however often it is asked for.
  Value* scalar(float value);
  Value* constant(const std::string& name, Tensor tensor);
  // Trained numbers around 0 that are added or multiplied: embeddings, scales of layers.
  Value* factors(const std::string& name, Shape shape, double deviation);

  static const Shape& shape(const Value* x) { return x->type.tensor.shape; }
  static int64_t channels(const Value* x) { return shape(x)[1]; }

  // The graph with its outputs under the names given.
  Graph finish(const std::vector<std::pair<Value*, std::string_view>>& outputs);
  Graph finish(Value* output, std::string_view name) { return finish({{output, name}}); }

 private:
  std::vector<Value*> add(std::string_view op, std::vector<Value*> inputs, Attrs attrs,
                          const std::string& name, size_t outputs = 1);
  Value* weight(const std::string& name, Shape shape, int64_t fan_in, const Value* x,
                double deviation = 1);
  Value* vector(const std::string& name, int64_t extent, double mean, double deviation);
  double mean_square(const Value* value) const;
  double mean_square_after(const Node& node) const;
  double mean_square_after_relu(const Value* x) const;

  Graph graph_;
  WeightSource weights_;
  std::map<float, Value*> scalars_;
  std::unordered_map<const Value*, double> mean_squares_;
  KnownValues known_;
};

}  // namespace hone
