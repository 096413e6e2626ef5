// A node as work for the engines of an NPU: commands over whole images, to be cut into tiles and
// given addresses.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "hone/ops/conv/geometry.h"
#include "hone/sim/command.h"
#include "hone/targets/target.h"

namespace hone::npu {

// A tensor as an image, channels innermost, one byte each.
struct Image {
  int64_t height = 1;
  int64_t width = 1;
  int64_t channels = 1;
  int64_t bytes() const { return height * width * channels; }
};

// An activation that a layer reads.
struct Operand {
  const Value* value = nullptr;
  Image image = {};
  bool whole = false;  // Every tile needs all of it.
};

// Weights with the constants of every output channel.
struct Weights {
  // [channels][products], or [products][channels] of depthwise ones.
  std::vector<std::byte> bytes = {};
  std::vector<int32_t> bias = {};
  std::vector<int32_t> multipliers = {};
  std::vector<int32_t> shifts = {};
  int64_t channels = 0;
  int64_t products = 0;  // Of each channel.
  bool depthwise = false;
};

// As sim::Product wants the channels first .. last - 1.
std::vector<std::byte> weight_block(const Weights& weights, int64_t first, int64_t last);

struct Layer {
  const Node* node = nullptr;
  std::vector<Operand> inputs = {};
  Operand output = {};
  // Views have extents and no addresses.
  std::variant<sim::Product, sim::VectorCommand> work = {};
  int64_t output_channel = 0;             // Of the output's, where this layer's first goes.
  int64_t groups = 1;                     // Of a product.
  Weights weights = {};                   // Of a product.
  std::vector<std::byte> constants = {};  // Of a vector command: its table, or an operand.
  bool constant_is_operand = false;       // `constants` is operand b, not a table.
  bool cuts_rows = false;                 // Output rows can be computed apart from one another,
  bool cuts_channels = false;             // and channels, each from its own of the inputs.

  const sim::Product* product() const { return std::get_if<sim::Product>(&work); }
  const sim::VectorCommand* vector() const { return std::get_if<sim::VectorCommand>(&work); }
  const sim::Window& window() const;
};

// Whether the engines have a command for some form of the operator, and whether it is a table.
bool has_command(std::string_view op);
bool is_table_op(std::string_view op);

// Nothing for a node that the engines have no command for, whatever the device.
std::optional<Layer> make_layer(const Node& node, const EvalOptions& options);

// One function for each kind of node.
std::optional<Layer> conv_layer(const Node& node, const EvalOptions& options);
std::optional<Layer> gemm_layer(const Node& node, const EvalOptions& options);
std::optional<Layer> pair_layer(const Node& node, const EvalOptions& options);
std::optional<Layer> table_layer(const Node& node, const EvalOptions& options);
std::optional<Layer> pool_layer(const Node& node, const EvalOptions& options);
std::optional<Layer> mean_layer(const Node& node, const EvalOptions& options);
std::optional<Layer> softmax_layer(const Node& node, const EvalOptions& options);
std::optional<Layer> resize_layer(const Node& node, const EvalOptions& options);

// int8 or uint8 with one scale.
bool is_byte(const Value& value);
// Extents of a tensor of any rank: the last axis is the channels, the one before it the width.
Image image_of(const TensorType& type);
sim::Window window_of(const WindowAxis& height, const WindowAxis& width);
// A view of all of an image that lies dense in memory.
sim::View view_of(const Image& image);

}  // namespace hone::npu
