#pragma once

#include <memory>

#include "hone/targets/cpu/plan.h"

namespace hone::cpu {

std::unique_ptr<Program> make_cpu_program(std::shared_ptr<const Plan> plan);

}  // namespace hone::cpu
