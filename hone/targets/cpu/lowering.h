// How nodes become steps. A lowering takes the nodes its kernels are made for and leaves the rest
// to the operator's reference.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "hone/targets/cpu/step.h"
#include "hone/targets/target.h"

namespace hone::cpu {

// A step that runs one of its kernel's variants.
inline StepKind step_kind(StepFamily family, std::string work, std::string_view variant = {}) {
  return {.family = family, .work = std::move(work), .variant = std::string(variant)};
}

// What a lowering may ask while it makes a step.
class StepBuilder {
 public:
  virtual ~StepBuilder() = default;
  virtual const CompileOptions& options() const = 0;
  // Whether the value is a tensor of known type that lives in plain memory.
  virtual bool planned(const Value* value) const = 0;
  // Whether it is an output of the graph.
  virtual bool is_output(const Value* value) const = 0;
  // The slot of a value, which the step being made then reads or writes. A constant is kept in
  // memory for it: kernels that pack their weights read `constant` of the value instead.
  virtual Slot read(const Value* value) = 0;
  virtual Slot write(const Value* value) = 0;
};

struct LoweringDef {
  std::string_view op;
  // Null when the kernels do not take this node.
  std::unique_ptr<Step> (*lower)(const Node& node, StepBuilder& builder);
};

// In the order they are tried, which is that of lowerings.inc.
const std::vector<const LoweringDef*>& all_lowerings();

}  // namespace hone::cpu
