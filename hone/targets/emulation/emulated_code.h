// A program that is C with what was counted when it ran in an emulator: what such programs tell alike.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hone/device/device.h"
#include "hone/targets/c_code/plan.h"
#include "hone/targets/target.h"

namespace hone::emulation {

// Of an emulator's own counting.
Metric counted(std::string name, double value, std::string note = "");

class EmulatedCode : public Program {
 public:
  EmulatedCode(std::shared_ptr<const Program> predicted, std::shared_ptr<const c_code::Plan> plan,
               const Device& device)
      : predicted_(std::move(predicted)), plan_(std::move(plan)), device_(device) {}

  std::unique_ptr<Session> open() const override { return predicted_->open(); }
  const Graph& graph() const override { return plan_->graph; }
  std::vector<StepInfo> steps() const override;
  std::optional<MemorySummary> memory() const override;

 protected:
  const c_code::Plan& plan() const { return *plan_; }
  const Device& device() const { return device_; }

 private:
  std::shared_ptr<const Program> predicted_;
  std::shared_ptr<const c_code::Plan> plan_;
  Device device_;
};

}  // namespace hone::emulation
