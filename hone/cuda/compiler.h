// CUDA source to machine code, by NVRTC, which needs a library and neither GPU nor driver.
#pragma once

#include <string>
#include <vector>

#include "hone/base/result.h"

namespace hone::cuda {

// "sm_90a": what code is compiled for. Features that only this generation has are among it.
std::string architecture_name(int major, int minor);

// Whether there is a compiler; its error says what is missing.
Status find_compiler();
// "13.0"; empty where there is none.
std::string compiler_version();

// The code of `source` for an architecture. Options are the compiler's own ("-DN=4"). Resource when
// there is no compiler; Unsupported, with the first error, when the source does not compile.
Result<std::string> compile_source(const std::string& name, const std::string& source,
                                   const std::string& architecture,
                                   const std::vector<std::string>& options = {});

}  // namespace hone::cuda
