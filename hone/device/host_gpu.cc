// GPUs are reached through libraries loaded at run time, so that one binary serves machines with
// and without them. Only what the doctor shows is declared here; the types are those of OpenCL 1.0,
// whose binary interface does not change.

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "hone/base/process.h"
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

using ClPlatform = void*;
constexpr double kMostSeconds = 15;  // That drivers may take to start.
constexpr unsigned kClPlatformName = 0x0902;

// Those of the platforms that the loader knows, empty where it knows none.
std::string opencl_platforms(const SharedLibrary& library) {
  auto* platforms_of = library.find<int(unsigned, ClPlatform*, unsigned*)>("clGetPlatformIDs");
  auto* info_of =
      library.find<int(ClPlatform, unsigned, size_t, void*, size_t*)>("clGetPlatformInfo");
  ClPlatform platforms[16] = {};
  unsigned count = 0;
  if (platforms_of == nullptr || info_of == nullptr ||
      platforms_of(std::size(platforms), platforms, &count) != 0) {
    return "";
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min<size_t>(count, std::size(platforms)); ++i) {
    char name[256] = "";
    info_of(platforms[i], kClPlatformName, sizeof name - 1, name, nullptr);
    names.emplace_back(name);
  }
  return join(names);
}

HostPart opencl() {
  HostPart part = {.group = "gpu",
                   .name = "OpenCL",
                   .purpose = "runs models on any OpenCL device",
                   .detail = "no OpenCL loader (libOpenCL.so.1)",
                   .package = "pocl-opencl-icd"};
  const SharedLibrary library({"libOpenCL.so.1"});
  if (!library) return part;
  part.path = library.path();
  // The loader asks every driver, which may crash or hang.
  const Result<std::string> platforms =
      ask_in_child([&] { return opencl_platforms(library); }, kMostSeconds);
  part.found = platforms.ok() && !platforms->empty();
  part.detail = !platforms.ok()      ? str("the OpenCL loader ", platforms.error().message)
                : platforms->empty() ? "the OpenCL loader knows no platform"
                                     : *platforms;
  return part;
}

}  // namespace

std::vector<HostPart> find_gpus() {
  std::vector<HostPart> parts = {cuda_device()};
  // Without a driver the rest of CUDA is of no use, and naming it all as missing would mislead.
  if (parts[0].found) add_cuda_libraries(parts);
  parts.push_back(opencl());
  return parts;
}

}  // namespace hone
