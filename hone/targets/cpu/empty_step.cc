#include "hone/targets/cpu/empty_step.h"

namespace hone::cpu {
namespace {

class EmptyStep final : public Step {
 public:
  EmptyStep(const Node& empty_node, StepBuilder& builder) {
    kind = {.family = StepFamily::Nothing, .work = "nothing"};
    for (const Value* output : empty_node.outputs) builder.write(output);
  }
  Status run(const Frame&) const override { return Done{}; }
};

}  // namespace

std::unique_ptr<Step> make_empty_step(const Node& node, StepBuilder& builder) {
  return std::make_unique<EmptyStep>(node, builder);
}

}  // namespace hone::cpu
