// A network as a device that is not here would run it. Compiled: batch norms folded, activations and
// sums fused into the layers before them, tables of activations and changes of scale likewise, no
// change of layout, no casts, inputs in the bytes that integers are computed on. Eager: operator by
// operator as the file has them. The cpu target's own program is another: what it needs besides is no
// work of that device's.
#pragma once

#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/device/device_class.h"
#include "hone/targets/target.h"

namespace hone {

struct DeviceStep {
  const Node* node = nullptr;
  NodeCost cost = {};
  std::string_view family = {};    // One of kKernelFamilies; of a view or a fused one: empty.
  std::string precision = "fp32";  // Of its arithmetic: int8 where it reads or writes bytes.
  FamilyWork work = {};            // All but what it takes to begin a run.
  bool fused = false;              // Into the step that makes what it reads, or the caller's part.
};

// `floats` as for device_program.
DeviceStep device_step(const Node& node, std::string_view floats);

struct DeviceProgram {
  Graph graph;
  std::vector<DeviceStep> steps = {};  // Of every node, in order.
};

struct DeviceProgramOptions {
  std::string_view floats = "fp32";  // What the file leaves as floats: "fp32" or "fp16".
  Runtime runtime = Runtime::Compiled;
  std::set<std::string, std::less<>> disabled = {};  // Passes, besides those it has no use for.
};
Result<DeviceProgram> device_program(Graph graph, const DeviceProgramOptions& options = {});

// Of all steps, and of beginning the run.
FamilyWork work_of(const DeviceProgram& program);

// What most of its arithmetic is in.
std::string main_precision(const DeviceProgram& program);

}  // namespace hone
