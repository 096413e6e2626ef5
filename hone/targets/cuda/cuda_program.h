#pragma once

#include "hone/targets/cuda/loaded.h"

namespace hone::cuda {

std::unique_ptr<Program> make_cuda_program(std::shared_ptr<const Loaded> loaded);

}  // namespace hone::cuda
