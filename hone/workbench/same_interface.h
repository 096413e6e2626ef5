// A program whose inputs or outputs changed, called as the one it was made from.
#pragma once

#include <memory>
#include <vector>

#include "hone/passes/device_io.h"
#include "hone/targets/target.h"

namespace hone {

// Inputs of the original as the changed program takes them: turned, and quantized as the
// quantize_linear did that is no longer there.
std::vector<Item> as_taken(const IoChange& io, std::vector<Item> inputs);
// Outputs of the changed program as the original gives them: the floats that integers stand for.
std::vector<Item> as_given(const IoChange& io, std::vector<Item> outputs);

// Both around every run of `program`, which must outlive it.
std::unique_ptr<Program> with_same_interface(const Program& program, const IoChange& io);

}  // namespace hone
