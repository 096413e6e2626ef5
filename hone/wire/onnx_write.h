#pragma once

#include <cstdint>
#include <filesystem>

#include "hone/base/result.h"
#include "hone/wire/onnx.h"

namespace hone {

// write_onnx with a limit that a test can reach: when the tensors take more than `largest_bytes`,
// those of 1 KiB and more go to external data.
Status write_onnx_up_to(const OnnxModel& model, const std::filesystem::path& path,
                        uint64_t largest_bytes);

}  // namespace hone
