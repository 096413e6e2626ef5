// A network of integers as C: one call of a kernel for every step, constants as the kernels take them,
// and where every tensor lies in the arena. Shapes, strides and scales are literals of the calls.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "hone/ops/conv/geometry.h"
#include "hone/targets/c_code/parts.h"
#include "hone/targets/c_code/row_chain.h"
#include "hone/targets/c_code/vtcm.h"
#include "hone/targets/target.h"

namespace hone::c_code {

// A constant of the program.
using Array = std::variant<std::vector<int8_t>, std::vector<int32_t>, std::vector<uint32_t>,
                           std::vector<uint16_t>>;
size_t bytes_of(const Array& array);
size_t count_of(const Array& array);
std::string_view type_of(const Array& array);  // "int8_t", "uint32_t".
std::string text_of(const Array& array);       // "1, 2, 3", in lines.

// A kernel and what it is given, in order. Operands are x0, x1, .. and y, arrays c0, c1, ..; "scratch"
// is there where the step asks for bytes of it.
struct Call {
  std::string_view kernel;  // "hone_conv".
  std::vector<std::string> arguments = {};
};

// How the first array of a step has its output channels: so many, and their bytes, one panel behind the other.
struct ChannelPanels {
  int64_t channels = 0;  // Of the layer,
  int64_t in_panel = 0;  // and of a panel but the last.
  size_t panel_bytes = 0;
};

struct Step {
  const Node* node = nullptr;
  std::vector<Call> calls = {};
  std::vector<Array> arrays = {};
  std::vector<const Value*> reads = {};
  const Value* write = nullptr;
  size_t scratch_bytes = 0;
  size_t row_scratch_bytes = 0;  // While it computes one row; 0: as many.
  int64_t pixels_together = 1;   // Of a row, that are computed at a time: the last may be again.
  bool in_place = false;         // The result may lie where x0 did, element for element.
  int64_t groups = 1;            // Of channels, where weights of 0 stand between them.
  // How its windows go down an image, where its calls say rows.in, rows.out and rows.pad (hone_rows) for
  // that: it can compute some rows by themselves.
  std::optional<WindowAxis> rows = {};
  // Where its calls say `part` (hone_hvx_part): it can compute the channels of some panels by themselves.
  std::optional<ChannelPanels> panels = {};
};

// Which kernels a core is fastest with. All of them are right on every core.
struct CoreKernels {
  bool fours = false;      // Products of panels of four channels: the DSP extension without Helium.
  bool channels = false;   // Depthwise layers of channels side by side: Helium.
  int issue = 1;           // Instructions that begin in a cycle.
  bool hvx = false;        // Vectors of 128 bytes: sources/hvx.c.
  size_t vtcm_bytes = 0;   // Memory beside them: vtcm.h.
  size_t threads = 1;      // That compute a layer together,
  size_t contexts = 1;     // and how many of them can have vectors at a time.
  double wake_cycles = 0;  // Until they have begun and are waited for.

  // Of the arena, of what lies there, and of constants.
  size_t alignment() const { return hvx ? 128 : 8; }
};

struct EmitOptions : CompileOptions {
  CoreKernels core = {};
};

// What emits the steps of an operator. Unsupported, with the reason, where it has no kernel.
struct EmitterDef {
  std::string_view op;
  Result<Step> (*emit)(const Node& node, const EmitOptions& options);
};

// In the order of emitters.inc.
const std::vector<const EmitterDef*>& all_emitters();

// Where a value lies.
struct Place {
  enum class In { Arena, Vtcm, Input, Output };
  In in = In::Arena;
  size_t index = 0;   // Of the input or output.
  size_t offset = 0;  // In the arena, or in VTCM.
};

struct Plan {
  Graph graph;
  EmitOptions options;
  std::vector<Step> steps;
  // What the caller gives and gets, in the order of the graph's: int8, also where the file has floats or
  // unsigned bytes that it only makes such of, or makes of such.
  std::vector<const Value*> inputs;
  std::vector<const Value*> outputs;
  std::vector<std::string> output_names;  // As the file has them.
  std::vector<std::string> notes;         // What the caller has to know.
  std::vector<StepParts> parts;           // By step: how it is cut for threads.
  std::vector<Place> scratch;             // By step: where its scratch memory lies.
  std::vector<RowChain> chains;           // Steps that run by rows, in running order.
  std::vector<size_t> live_bytes;         // By step: what is in use of the arena.
  std::unordered_map<const Value*, Place> places;
  VtcmPlan vtcm;  // Of no bytes where nothing lies there.
  size_t arena_bytes = 0;
  size_t constant_bytes = 0;
  size_t ram_without_rows = 0;  // ram_bytes where no steps run by rows.
};

// How many of a step's arrays may lie in VTCM. Of panels that is the first: compilers keep what becomes of sums in
// registers, as long as they see that it is constant.
inline size_t arrays_for_vtcm(const Step& step) {
  return step.panels ? 1 : step.arrays.size();
}
// Where they lie there.
std::vector<size_t> array_offsets(const Plan& plan, size_t step);

// What its caller keeps for it: the handle, the arena, inputs and outputs where they lie outside of it.
size_t ram_bytes(const Plan& plan);
size_t input_bytes(const Plan& plan);
size_t output_bytes(const Plan& plan);

// Takes out channels between convolutions that are always zero: results stay the same.
void drop_channels(Graph& graph, const CompileOptions& options);

// Splits as slices: a step makes one tensor.
void slice_splits(Graph& graph);

// Floats at the end that are only brought into another order: the bytes that they are made of are.
void move_integers(Graph& graph);

// The chain that a step is in, or null.
const RowChain* chain_at(const Plan& plan, size_t step);

// The step during which the most of the arena is in use.
const Step& fullest_step(const Plan& plan);

// As people know it: of nodes without a name, that of what they make.
const std::string& name_of(const Step& step);

// Where it would take more RAM than the options allow, steps run by rows: as few as do, or where none do,
// those that need least. Unsupported names the first node that has no kernel in C.
Result<Plan> make_plan(Graph graph, const CompileOptions& options, CoreKernels core = {});

}  // namespace hone::c_code
