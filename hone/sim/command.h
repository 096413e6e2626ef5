// What an NPU is told to do: a list of commands, each for one engine, that work on bytes in its
// memories. The list is all a machine needs: it computes results and time from the same commands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "hone/tensor/fixed_point.h"

namespace hone::sim {

// Space 0 is the SRAM, space 1 + m is NpuSpec::memories[m].
struct Address {
  uint8_t space = 0;
  uint64_t offset = 0;
  bool in_sram() const { return space == 0; }
};
constexpr uint8_t kSramSpace = 0;

// A block of an image, channels innermost. Strides are in bytes; 0 repeats.
struct View {
  Address at = {};
  int64_t height = 1;
  int64_t width = 1;
  int64_t channels = 1;
  int64_t row_stride = 0;
  int64_t pixel_stride = 0;
  int64_t elements() const { return height * width * channels; }
};

// Where the inputs of output (y, x) lie: (y * stride_h + ky * dilation_h - pad_top, ...). What
// falls outside of the input's view is padding.
struct Window2d {
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0;
  int64_t taps() const { return kernel_h * kernel_w; }
};

enum class Role : uint8_t { Weights, Input, Output };

// Between memories: `rows` runs of `row_bytes`.
struct Transfer {
  Role role = Role::Input;
  Address from = {};
  Address to = {};
  int64_t rows = 1;
  int64_t row_bytes = 0;
  int64_t from_stride = 0;
  int64_t to_stride = 0;
  int channel = 0;
  int64_t bytes() const { return rows * row_bytes; }
};

// How 32-bit sums become bytes again.
struct OutputStage {
  Rounding rounding = Rounding::Double;
  int32_t zero_point = 0;
  int32_t low = -128;
  int32_t high = 127;
};

// A convolution or a product with constant weights, on the matrix engine (or, depthwise where the
// device says so, on the vector engine):
//   y[p][o] = stage(bias[o] + sum over taps and depth of (x - input_zero) * (w - weight_zero))
// Weights are [channels of the output][taps][depth] bytes; depthwise ones have depth 1 and
// lie [taps][channels]. After them, aligned to 4, come the constants of each output channel: bias,
// multiplier and shift, int32 each, as three arrays.
struct Product {
  View input = {};
  View output = {};
  Window2d window = {};
  bool depthwise = false;
  bool is_signed = true;  // Activations are int8, otherwise uint8.
  bool signed_weights = true;
  int32_t input_zero = 0;
  int32_t weight_zero = 0;
  OutputStage stage = {};
  Address weights = {};  // In a memory: streamed while the engine computes.
  int64_t depth() const { return depthwise ? 1 : input.channels; }
  int64_t macs() const { return output.elements() * window.taps() * depth(); }
  // Of one block of weights with its constants, uncompressed.
  int64_t weight_bytes() const;
};

// Where a block of weights for so many output channels has its constants, and where it ends.
int64_t constants_offset(int64_t channels, int64_t products_per_channel);
int64_t weight_block_bytes(int64_t channels, int64_t products_per_channel);

struct VectorOpDef;

// One operation of the vector engine; its definition (vector_op.h) says what it reads of this.
struct VectorCommand {
  const VectorOpDef* op = nullptr;
  View a = {};
  View b = {};
  View output = {};
  Window2d window = {};
  bool is_signed = true;
  int32_t a_zero = 0;
  int32_t b_zero = 0;
  std::array<FixedPoint, 3> factors = {};
  OutputStage stage = {};
  Address constants = {};
  double cycles_per_element = 0;  // An operator with a price of its own; 0: as the device says.
};

// Runs outside of the NPU: the machine asks its caller to do it, and charges the time.
struct HostCall {
  size_t call = 0;     // What HostCalls knows it by.
  double us = 0;       // Computing, and moving what it reads and writes.
  bool wakes = false;  // The first after work of the NPU: dispatch is charged.
};

struct Command {
  std::variant<Transfer, Product, VectorCommand, HostCall> work = {};
  size_t step = 0;                   // Of the program, for whose time it counts.
  std::vector<uint32_t> waits = {};  // Earlier commands that must have ended.
};

// A program for one machine.
struct CommandStream {
  std::vector<Command> commands = {};
  // How much of each space it uses. SRAM is at [0].
  std::vector<uint64_t> space_bytes = {};
  // What the memories hold before the first run, weights and constants above all.
  struct Image {
    Address at = {};
    std::vector<std::byte> bytes = {};
  };
  std::vector<Image> images = {};
  size_t steps = 0;
};

}  // namespace hone::sim
