#pragma once

#include "hone/targets/target.h"

namespace hone {

// One node that runs on an accelerator's host: computed here by the cpu target.
class HostProgram {
 public:
  static Result<HostProgram> make(const Node& node, const CompileOptions& options);

  // Inputs that are not constants, in order, and what an item of each goes to.
  const std::vector<const Value*>& inputs() const { return inputs_; }
  const Program& program() const { return *program_; }

 private:
  std::vector<const Value*> inputs_;
  std::unique_ptr<Program> program_;
};

}  // namespace hone
