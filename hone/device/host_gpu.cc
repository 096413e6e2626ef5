// GPUs are reached through libraries loaded at run time, so that one binary serves machines with
// and without them.

#include <unistd.h>

#include <fstream>

#include "hone/base/shared_library.h"
#include "hone/base/str.h"
#include "hone/device/host_parts.h"

namespace hone {
namespace {

// Whether there is a driver. What it sees, the cuda target asks it.
HostPart cuda_device() {
  const SharedLibrary library({"libcuda.so.1"});
  return {.group = "gpu",
          .name = std::string(kCudaDevice),
          .purpose = "runs models on NVIDIA GPUs",
          .found = static_cast<bool>(library),
          .path = library ? library.path() : "",
          .detail = library ? "" : "no NVIDIA driver (libcuda.so.1)"};
}

HostPart cuda_library(const char* name, const char* purpose, const SharedLibrary& library) {
  return {.group = "gpu",
          .name = name,
          .purpose = purpose,
          .found = static_cast<bool>(library),
          .path = library ? library.path() : "",
          .detail = library ? "" : "not found by the loader",
          .package = ""};
}

// Whether the driver lets this user read counters; "" when it does, or does not say.
std::string why_counters_are_kept() {
  std::ifstream file("/proc/driver/nvidia/params");
  for (std::string line; std::getline(file, line);) {
    if (line == "RmProfilingAdminOnly: 1" && geteuid() != 0) {
      return "the driver keeps counters for administrators (RmProfilingAdminOnly is 1)";
    }
  }
  return "";
}

void add_cuda_libraries(std::vector<HostPart>& parts) {
  parts.push_back(
      cuda_library("NVRTC", "compiles CUDA kernels at run time",
                   SharedLibrary({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                  "/usr/local/cuda/lib64/libnvrtc.so"})));
  parts.push_back(
      cuda_library("cuBLASLt", "matrix products on NVIDIA GPUs",
                   SharedLibrary({"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11",
                                  "/usr/local/cuda/lib64/libcublasLt.so"})));
  parts.push_back(
      cuda_library("cuDNN", "convolutions on NVIDIA GPUs", SharedLibrary({"libcudnn.so.9"})));
  parts.push_back(cuda_library(
      "CUPTI", "GPU kernel times and counters",
      SharedLibrary({"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/lib64/libcupti.so",
                     "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"})));
  if (parts.back().found) parts.back().detail = why_counters_are_kept();
  parts.push_back(
      cuda_library("NVML", "GPU power and clocks", SharedLibrary({"libnvidia-ml.so.1"})));
}

}  // namespace

std::vector<HostPart> find_gpus() {
  std::vector<HostPart> parts = {cuda_device()};
  // Without a driver the rest of CUDA is of no use, and naming it all as missing would mislead.
  if (parts[0].found) add_cuda_libraries(parts);
  return parts;
}

}  // namespace hone
