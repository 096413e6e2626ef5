// Which of its variants a step runs: measured, since no model of a GPU orders them right.
#pragma once

#include "hone/targets/cuda/loaded.h"

namespace hone::cuda {

Status choose_variants(const Gpu& gpu, Loaded& loaded);

}  // namespace hone::cuda
