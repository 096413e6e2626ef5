#include "hone/base/text.h"
#include "hone/targets/target.h"

namespace hone {

#define HONE_TARGET(name) extern const TargetDef target_##name;
#include "hone/targets/targets.inc"
#undef HONE_TARGET

const std::vector<const TargetDef*>& all_targets() {
  static const std::vector<const TargetDef*> kTargets = {
#define HONE_TARGET(name) &target_##name,
#include "hone/targets/targets.inc"
#undef HONE_TARGET
  };
  return kTargets;
}

Result<const TargetDef*> find_target(std::string_view name) {
  std::vector<std::string> names;
  for (const TargetDef* target : all_targets()) {
    if (target->name == name) return target;
    names.emplace_back(target->name);
  }
  return bad_input("no target '", name, "'", did_you_mean(name, names),
                   "; there are: ", join(names));
}

std::optional<Tensor> Session::peek(const Value*) const {
  return std::nullopt;
}

Result<std::vector<Item>> Program::run(const std::vector<Item>& inputs) const {
  std::vector<Item> outputs;
  HONE_RETURN_IF_ERROR(open()->run(inputs, outputs));
  return outputs;
}

}  // namespace hone
