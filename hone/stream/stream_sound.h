// Sound as a program that listens takes it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/stream/recipe.h"

namespace hone {

// "16000 in one (sox IN.wav -r 16000 -c 1 -b 16 OUT.wav)": samples a second, in how many channels.
std::string expected_sound(const StreamRecipe& recipe);

// BadInput, Unsupported for what the emitted `listen` refuses, in the same words.
Result<std::vector<int16_t>> read_sound(const std::filesystem::path& path,
                                        const StreamRecipe& recipe);

}  // namespace hone
