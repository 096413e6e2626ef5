// A node as work for the engines of an NPU: commands over whole images, to be cut into tiles and
// given addresses.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "hone/ops/conv/geometry.h"
#include "hone/ops/quant/weighted.h"
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

// Weights with the constants of every output channel, as the node holds them.
struct Weights {
  const Tensor* stored = nullptr;  // [channels][products] bytes.
  const Tensor* bias = nullptr;    // int32; null: zeros.
  ScaleProduct scales = ScaleProduct::Float;
  int64_t channels = 0;
  int64_t products = 0;  // Of each channel.
  bool depthwise = false;
};

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
  bool cuts_rows = false;                 // Output rows can be computed apart from one another.
  bool cuts_channels = false;  // Output channels can, each from its own channel of the inputs.

  const sim::Product* product() const { return std::get_if<sim::Product>(&work); }
  const sim::VectorCommand* vector() const { return std::get_if<sim::VectorCommand>(&work); }
  const sim::Window2d& window() const;
};

// As sim::Product wants the output channels first .. last - 1.
std::vector<std::byte> weight_block(const Layer& layer, int64_t first, int64_t last);

// int8 or uint8 with one scale.
bool is_byte(const Value& value);
// Extents of a tensor of any rank: the last axis is the channels, the one before it the width.
Image image_of(const TensorType& type);
sim::Window2d window_of(const WindowAxis& height, const WindowAxis& width);
// A view of all of an image that lies dense in memory.
sim::View view_of(const Image& image);

}  // namespace hone::npu
