#include "hone/targets/cpu/ref_step.h"

#include <cstring>

#include "hone/ops/interpreter.h"

namespace hone::cpu {
namespace {

class RefStep final : public Step {
 public:
  RefStep(const Node& ref_node, StepBuilder& builder) : eval_(builder.options().eval) {
    node = &ref_node;
    kind = reference_kind(ref_node);
    for (const Value* input : ref_node.inputs) {
      if (input == nullptr) {
        inputs_.push_back({});
      } else if (input->constant) {
        inputs_.push_back({Item(*input->constant), 0, Source::Constant, {}});
      } else {
        const Source source = builder.planned(input) ? Source::Memory : Source::Box;
        inputs_.push_back({Item(), builder.read(input), source, input->type.tensor});
      }
    }
    for (const Value* output : ref_node.outputs) {
      boxes_ = boxes_ || !builder.planned(output);
      outputs_.push_back({builder.write(output), builder.planned(output), &output->type.tensor});
    }
  }

  Status run(const Frame& frame) const override {
    std::vector<Item> held(inputs_.size());
    std::vector<const Item*> items(inputs_.size());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      HONE_TRY(items[i], fetch(frame, inputs_[i], held[i]));
    }
    HONE_TRY(std::vector<Item> results, run_node(*node, items, eval_));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      HONE_RETURN_IF_ERROR(store(frame, outputs_[i], std::move(results[i])));
    }
    return Done{};
  }

 private:
  enum class Source { None, Constant, Memory, Box };
  struct Input {
    Item constant;
    Slot slot = 0;
    Source source = Source::None;
    TensorType type;
  };
  struct Output {
    Slot slot;
    bool planned;
    const TensorType* type;
  };

  Result<const Item*> fetch(const Frame& frame, const Input& input, Item& held) const {
    switch (input.source) {
      case Source::None:
        return nullptr;
      case Source::Constant:
        return &input.constant;
      case Source::Box:
        return &(*frame.items)[input.slot];
      case Source::Memory:
        break;
    }
    const size_t bytes = input.type.bytes();
    if (boxes_) {
      // What lives in a box may share its elements with the input, whose memory is used again.
      Tensor copy(input.type);
      std::memcpy(copy.mutable_bytes().data(), frame.slots[input.slot], bytes);
      held = std::move(copy);
    } else {
      HONE_TRY(held, Tensor::view(input.type, {nullptr, {frame.slots[input.slot], bytes}}));
    }
    return &held;
  }

  Status store(const Frame& frame, const Output& output, Item result) const {
    if (!output.planned) {
      (*frame.items)[output.slot] = std::move(result);
      return Done{};
    }
    const TensorType& type = result.tensor.type();
    if (!result.is_tensor() || type.dtype != output.type->dtype ||
        type.shape != output.type->shape) {
      return bad_input("node '", node->name, "' (", node->op, ") gives ", type, ", expected ",
                       *output.type);
    }
    const auto bytes = result.tensor.bytes();
    std::memcpy(frame.slots[output.slot], bytes.data(), bytes.size());
    return Done{};
  }

  EvalOptions eval_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  bool boxes_ = false;
};

}  // namespace

std::unique_ptr<Step> make_ref_step(const Node& node, StepBuilder& builder) {
  return std::make_unique<RefStep>(node, builder);
}

}  // namespace hone::cpu
