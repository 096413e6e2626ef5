// What a plan of the cuda target is made of: slots that hold values, and steps that launch kernels
// on slots. Everything that can be decided before a run is decided, shapes are constants of the
// kernels' sources: so arguments are addresses and nothing else.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hone/cuda/blas.h"
#include "hone/cuda/dnn.h"
#include "hone/cuda/gpu.h"
#include "hone/cuda/kernels.h"
#include "hone/targets/common/host_program.h"
#include "hone/targets/target.h"

namespace hone::cuda {

// An index into Plan::slots.
using Slot = size_t;
inline constexpr Slot kNoSlot = ~Slot{0};  // An argument that is null.

// A matrix as the copy engine of compute capability 9.0 sees it: rows of 16-byte pieces, from which
// it takes boxes of 128 bytes and so many rows, their chunks turned around as the cores expect them.
struct MatrixMap {
  Slot slot = kNoSlot;
  DType dtype = DType::F32;
  bool tf32 = false;  // Floats are rounded to TF32 on their way.
  int64_t columns = 0;
  int64_t rows = 0;
  int64_t pitch = 0;  // Elements from row to row.
  int64_t box_rows = 0;
};

// What a library is to compute, and its kernel or why there is none, once it was looked for.
struct LibraryCall {
  std::variant<BlasProduct, DnnConvolution> work;
  std::optional<Result<std::shared_ptr<const LibraryKernel>>> found = {};
};

struct Launch {
  KernelSource kernel;
  std::array<unsigned, 3> grid = {1, 1, 1};
  unsigned block = 1;
  unsigned shared_bytes = 0;
  unsigned cluster = 1;              // Blocks along x that run together.
  std::vector<MatrixMap> maps = {};  // In front of the arguments.
  std::vector<Slot> arguments = {};
  // Of a library's kernel, in place of a source: x, w, bias, residual, y and scratch are its
  // arguments. The grid is known with the kernel.
  std::optional<LibraryCall> library = {};
};

// One way to compute a step.
struct Variant {
  std::string name;  // "64x64x32 split 4": for people.
  std::vector<Launch> launches;
};

// The sources of those launches that have one.
void add_sources(const Variant& variant, std::vector<const KernelSource*>& sources);

struct Step {
  const Node* node = nullptr;  // Its own, unless the lowering names another that says more.
  StepKind kind = {};
  NodeCost cost = {};
  std::vector<Variant> variants = {};  // Likeliest first; none for a step of the host.
  size_t chosen = 0;
  std::string reason = {};  // Why it is the host's.
  std::vector<Slot> reads = {};
  std::vector<Slot> writes = {};
  size_t weight_bytes = 0;

  bool on_host() const { return variants.empty(); }
  const Variant& variant() const { return variants[chosen]; }
};

// A value that lies in rows of another, which have `pitch` elements.
struct RowsOf {
  const Value* whole = nullptr;
  int64_t offset = 0;
  int64_t pitch = 0;
};

// What a lowering may ask while it makes a step.
class StepBuilder {
 public:
  virtual ~StepBuilder() = default;
  virtual const CompileOptions& options() const = 0;
  virtual const GpuInfo& gpu() const = 0;
  // Whether the value is a tensor of known type that lives in plain memory.
  virtual bool planned(const Value* value) const = 0;
  // The slot of a value, which the step being made then reads or writes. A constant is kept on the
  // GPU as it is: kernels that pack their weights hand over what they packed.
  virtual Slot read(const Value* value) = 0;
  virtual Slot write(const Value* value) = 0;
  virtual Slot packed(Tensor weights) = 0;
  // Memory that one launch of the step writes and another reads.
  virtual Slot scratch(size_t bytes) = 0;
  // The node that computes `value`, when it is computed where it is read instead.
  virtual const Node* inlined(const Value* value) const = 0;
  // Elements from one row along the last axis of what a node makes to the next: those of the row,
  // or more where it is written into its part of a concatenation.
  virtual int64_t row_pitch(const Value* value) const = 0;
  // Elements in front of it in the memory that it is written to.
  virtual int64_t row_offset(const Value* value) const = 0;
  // Whether a concatenation finds this operand in its place already.
  virtual bool in_place(const Value* value) const = 0;
  // Where the value lies when nobody takes it out of another: only attentions read it.
  virtual std::optional<RowsOf> rows_of(const Value* value) const = 0;
  // The same of parts of a split that only element-wise nodes read.
  virtual std::optional<RowsOf> split_rows(const Value* value) const = 0;
};

struct LoweringDef {
  std::string_view op;
  // Nothing when the kernels do not take this node.
  std::optional<Step> (*lower)(const Node& node, StepBuilder& builder);
};

// In the order they are tried, which is that of lowerings.inc.
const std::vector<const LoweringDef*>& all_lowerings();

}  // namespace hone::cuda
