// A predicted program that can be written as a project of C, where C has kernels for all of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hone/device/device.h"
#include "hone/targets/c_code/write_project.h"
#include "hone/targets/emulation/parted_run.h"
#include "hone/targets/firmware_program.h"
#include "hone/targets/target.h"

namespace hone::emulation {

class WritableCode : public Program, public FirmwareProgram {
 public:
  // `given` is the graph that the plan was made of.
  WritableCode(std::unique_ptr<Program> predicted, Graph given, Result<c_code::Plan> plan,
               const Device& device);

  std::unique_ptr<Session> open() const override { return predicted_->open(); }
  const Graph& graph() const override { return predicted_->graph(); }
  std::vector<StepInfo> steps() const override { return predicted_->steps(); }
  std::vector<Placement> placements() const override { return predicted_->placements(); }
  std::optional<MemorySummary> memory() const override { return predicted_->memory(); }
  std::vector<std::string> files() const override { return c_code::project_files(names()); }
  Status check_writable() const override;
  Status write(const std::filesystem::path& folder) const override;

  // The same without a word of what is left to the caller: of programs around it, which see to that.
  Status write_quietly(const std::filesystem::path& folder) const;
  virtual c_code::ProjectNames names() const = 0;
  // Null where it cannot be written.
  const c_code::Plan* plan() const { return plan_.get(); }
  // Builds a program around it, runs it in the device's emulator and counts. Resource where that cannot be done.
  virtual Result<PartedRun> run_parts(const PartedProgram& program) const = 0;

 protected:
  std::shared_ptr<const Program> predicted_;
  Graph given_;
  std::shared_ptr<const c_code::Plan> plan_;  // Null where C has no kernels for some of it,
  Error no_plan_ = {};                        // and which.
  Device device_;
};

// Which device a model has to be quantized for is not known where C is made.
Error of_device(Error error, const Device& device);

}  // namespace hone::emulation
