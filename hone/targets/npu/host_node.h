#pragma once

#include "hone/targets/target.h"

namespace hone::npu {

// One node that runs on the NPU's host: computed here by the cpu target, timed by the host's model.
class HostNode {
 public:
  static Result<HostNode> make(const Node& node, const CompileOptions& options);

  // Inputs that are not constants, in order, and what an item of each goes to.
  const std::vector<const Value*>& inputs() const { return inputs_; }
  const Program& program() const { return *program_; }

 private:
  std::vector<const Value*> inputs_;
  std::unique_ptr<Program> program_;
};

}  // namespace hone::npu
