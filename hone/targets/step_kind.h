// What a step of a program is, for those who ask: nobody but people reads its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

struct Node;

// What kind of work a step does, as far as it matters to how fast it can be.
enum class StepFamily : uint8_t {
  Other,        // None of these, or not told.
  Product,      // Rows times a matrix; convolutions in their direct form among them.
  Winograd,     // A convolution in Winograd's form.
  Depthwise,    // A convolution of every channel by itself.
  Hybrid,       // A product of floats that become bytes in the run with int8 weights.
  Recurrent,    // Products step by step: lstm, gru, rnn.
  Elementwise,  // One pass over operands of one shape.
  Rows,         // Functions of whole rows: softmax, norms, means.
  Pool,
  Resize,
  Movement,       // Only moves elements.
  Conversion,     // Only changes their type.
  Communication,  // Moves elements between devices that work together.
  Nothing,        // Computes nothing.
};
std::string_view name_of(StepFamily family);  // "product", ...: as in result files.
std::optional<StepFamily> family_named(std::string_view name);

// What a step computes in.
enum class Arithmetic : uint8_t {
  Unknown,
  Fp64,
  Fp32,
  Tf32,  // Of fp32 operands, which products take 10 bits of fraction of.
  Fp16,
  Bf16,
  Fp8,
  Fp4,
  Int64,
  Int32,
  Int16,
  Int8,
  Int4,
  Int2,
  Bool,
  Text,
};
std::string_view name_of(Arithmetic arithmetic);  // "fp32", as in device files; empty if unknown.
std::optional<Arithmetic> arithmetic_named(std::string_view name);
bool is_integer(Arithmetic arithmetic);
// By the first operand that is a tensor.
Arithmetic arithmetic_of(const Node& node);

// Set by whoever makes the step; StepInfo, StepProfile and result files carry it.
struct StepKind {
  StepFamily family = StepFamily::Other;
  std::string work = {};     // As its target calls it: "gemm_f32", "matrix".
  std::string variant = {};  // Which implementation of that, for people: "neon"; may be empty.
  Arithmetic precision = Arithmetic::Unknown;
  bool reference = false;    // Through the operator's slow reference: no kernel took it.
  bool on_host = false;      // Of an accelerator that leaves it to its host.
  int64_t tile_columns = 0;  // Results of a row that are computed together; 0: not told.
  // What a tile takes that has few of its columns to compute, in whole tiles.
  double partial_tile = 0.5;
};

// Whether it is the variant of its kernel that every CPU runs: there are no features for others.
bool runs_plain_kernel(const StepKind& kind);

// "gemm_f32 neon": what people call it.
std::string kernel_name(const StepKind& kind);

// What runs every node by its operator's reference.
StepKind reference_kind(const Node& node);

}  // namespace hone
