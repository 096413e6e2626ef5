#include <cstring>
#include <unordered_map>

#include "hone/ops/interpreter.h"
#include "hone/sim/machine.h"
#include "hone/targets/npu/npu_program.h"

namespace hone::npu {
namespace {

constexpr uint8_t kMemory = 1;

class NpuSession final : public Session, private sim::HostCalls {
 public:
  explicit NpuSession(std::shared_ptr<const NpuPlan> plan)
      : plan_(std::move(plan)), machine_(plan_->schedule.stream) {
    for (const auto& host : plan_->host) {
      host_.push_back(host ? host->program().open() : nullptr);
    }
    last_command_.assign(plan_->program.steps.size(), 0);
    const auto& commands = plan_->schedule.stream.commands;
    for (size_t c = 0; c < commands.size(); ++c) last_command_[commands[c].step] = c;
  }

  Status run(const std::vector<Item>& inputs, std::vector<Item>& outputs) override {
    return run_commands(inputs, outputs, nullptr);
  }

  Status run_observed(const std::vector<Item>& inputs, std::vector<Item>& outputs,
                      StepObserver& observer) override {
    return run_commands(inputs, outputs, &observer);
  }

  // What lies inside of a cascade is never there as a whole.
  std::optional<Tensor> peek(const Value* value) const override {
    const auto found = plan_->program.storages.part_of.find(value);
    if (found == plan_->program.storages.part_of.end()) return std::nullopt;
    const Part& part = found->second;
    const SramPlan& sram = plan_->schedule.sram;
    const bool dense = part.pixel_stride == 0 && part.first_channel == 0;
    if (!dense || sram.linked[part.storage]) return std::nullopt;
    const std::byte* data =
        machine_.at(sram.resident[part.storage]
                        ? sim::Address{sim::kSramSpace,
                                       2 * plan_->schedule.weight_slot + sram.offsets[part.storage]}
                        : sim::Address{kMemory, plan_->schedule.memory_offsets[part.storage]});
    const auto view =
        Tensor::view(value->type.tensor, {nullptr, {data, value->type.tensor.bytes()}});
    return view.ok() ? std::optional(*view) : std::nullopt;
  }

 private:
  Status run_commands(const std::vector<Item>& inputs, std::vector<Item>& outputs,
                      StepObserver* observer) {
    HONE_RETURN_IF_ERROR(bind_inputs(inputs));
    if (observer != nullptr) observer->begin();
    size_t done = 0;
    const size_t steps = last_command_.size();
    for (size_t c = 0; c < plan_->schedule.stream.commands.size(); ++c) {
      HONE_RETURN_IF_ERROR(machine_.run_command(c, *this));
      for (; done < steps && last_command_[done] <= c; ++done) {
        if (observer != nullptr) observer->step_done(done, {});
      }
    }
    return read_outputs(outputs);
  }

  Status bind_inputs(const std::vector<Item>& inputs) {
    const auto wanted = plan_->graph.inputs();
    if (inputs.size() != wanted.size()) {
      return bad_input("the model has ", wanted.size(), " inputs, got ", inputs.size());
    }
    boxes_.clear();
    for (size_t i = 0; i < inputs.size(); ++i) {
      HONE_TRY(Item item, bind_input(*wanted[i], inputs[i]));
      put(wanted[i], std::move(item));
    }
    return Done{};
  }

  // Where a value lies in memory 0; null for one that has no place.
  std::byte* place_of(const Value* value) {
    const auto found = plan_->program.storages.part_of.find(value);
    if (found == plan_->program.storages.part_of.end()) return nullptr;
    return machine_.at({kMemory, plan_->schedule.memory_offsets[found->second.storage]});
  }

  void put(const Value* value, Item item) {
    std::byte* place = place_of(value);
    if (place == nullptr) {
      boxes_[value] = std::move(item);
    } else if (const auto bytes = item.tensor.bytes(); !bytes.empty()) {
      std::memcpy(place, bytes.data(), bytes.size());
    }
  }

  Item get(const Value* value) {
    if (value->constant) return *value->constant;
    const std::byte* place = place_of(value);
    if (place == nullptr) return boxes_[value];
    Tensor tensor(value->type.tensor);
    const auto bytes = tensor.mutable_bytes();
    if (!bytes.empty()) std::memcpy(bytes.data(), place, bytes.size());
    return tensor;
  }

  Status read_outputs(std::vector<Item>& outputs) {
    outputs.clear();
    for (const Value* output : plan_->graph.outputs()) outputs.push_back(get(output));
    return Done{};
  }

  Status run(size_t call) override {
    std::vector<Item> inputs, outputs;
    for (const Value* input : plan_->host[call]->inputs()) inputs.push_back(get(input));
    HONE_RETURN_IF_ERROR(host_[call]->run(inputs, outputs));
    const Node& node = *plan_->program.steps[call].node;
    for (size_t i = 0; i < node.outputs.size(); ++i) put(node.outputs[i], std::move(outputs[i]));
    return Done{};
  }

  std::shared_ptr<const NpuPlan> plan_;
  sim::Machine machine_;
  std::vector<std::unique_ptr<Session>> host_;  // By step.
  std::vector<size_t> last_command_;            // By step.
  std::unordered_map<const Value*, Item> boxes_;
};

}  // namespace

std::unique_ptr<Session> open_session(std::shared_ptr<const NpuPlan> plan) {
  return std::make_unique<NpuSession>(std::move(plan));
}

}  // namespace hone::npu
