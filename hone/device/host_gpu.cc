// GPUs are reached through libraries loaded at run time, so that one binary serves machines with
// and without them. Only what `hone doctor` shows is declared here; the types are those of the CUDA
// driver API and of OpenCL 1.0, whose binary interfaces do not change.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "hone/base/shared_library.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/device/host_parts.h"

namespace hone {
namespace {

// CUdevice_attribute: compute capability.
constexpr int kCapabilityMajor = 75;
constexpr int kCapabilityMinor = 76;

struct CudaDriver {
  explicit CudaDriver(const SharedLibrary& library)
      : init(library.find<int(unsigned)>("cuInit")),
        count(library.find<int(int*)>("cuDeviceGetCount")),
        version(library.find<int(int*)>("cuDriverGetVersion")),
        name(library.find<int(char*, int, int)>("cuDeviceGetName")),
        memory(library.find<int(size_t*, int)>("cuDeviceTotalMem_v2")),
        attribute(library.find<int(int*, int, int)>("cuDeviceGetAttribute")) {}

  bool complete() const { return init && count && version && name && memory && attribute; }

  int (*init)(unsigned flags);
  int (*count)(int* count);
  int (*version)(int* version);
  int (*name)(char* name, int size, int device);
  int (*memory)(size_t* bytes, int device);
  int (*attribute)(int* value, int attribute, int device);
};

std::string describe_device(const CudaDriver& cuda, int device) {
  char name[256] = "";
  size_t bytes = 0;
  int major = 0;
  int minor = 0;
  cuda.name(name, sizeof name - 1, device);
  cuda.memory(&bytes, device);
  cuda.attribute(&major, kCapabilityMajor, device);
  cuda.attribute(&minor, kCapabilityMinor, device);
  return str(name, ", ", human_bytes(bytes), ", compute capability ", major, ".", minor);
}

HostPart cuda_device() {
  HostPart part = {
      .group = "gpu", .name = std::string(kCudaDevice), .purpose = "runs models on NVIDIA GPUs"};
  const SharedLibrary library({"libcuda.so.1"});
  if (!library) {
    part.detail = "no NVIDIA driver (libcuda.so.1)";
    return part;
  }
  part.path = library.path();
  const CudaDriver cuda(library);
  int devices = 0;
  if (!cuda.complete()) {
    part.detail = "libcuda.so.1 lacks functions of the driver API";
  } else if (const int error = cuda.init(0); error != 0) {
    part.detail = str("the NVIDIA driver does not start: cuInit gives error ", error);
  } else if (cuda.count(&devices) != 0 || devices == 0) {
    part.detail = "the NVIDIA driver sees no GPU";
  } else {
    int version = 0;
    cuda.version(&version);
    part.found = true;
    part.detail = fmt::format("{} x {}, driver for CUDA {}.{}", devices, describe_device(cuda, 0),
                              version / 1000, version % 1000 / 10);
  }
  return part;
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
  parts.push_back(cuda_library("cuDNN", "convolutions on NVIDIA GPUs",
                               SharedLibrary({"libcudnn.so.9", "libcudnn.so.8"})));
  parts.push_back(cuda_library(
      "CUPTI", "GPU kernel times and counters",
      SharedLibrary({"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/lib64/libcupti.so",
                     "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"})));
  if (parts.back().found) parts.back().detail = why_counters_are_kept();
  parts.push_back(
      cuda_library("NVML", "GPU power and clocks", SharedLibrary({"libnvidia-ml.so.1"})));
}

using ClPlatform = void*;
constexpr unsigned kClPlatformName = 0x0902;

HostPart opencl() {
  HostPart part = {.group = "gpu",
                   .name = "OpenCL",
                   .purpose = "runs models on any OpenCL device",
                   .detail = "no OpenCL loader (libOpenCL.so.1)",
                   .package = "pocl-opencl-icd"};
  const SharedLibrary library({"libOpenCL.so.1"});
  if (!library) return part;
  part.path = library.path();
  auto* platforms_of = library.find<int(unsigned, ClPlatform*, unsigned*)>("clGetPlatformIDs");
  auto* info_of =
      library.find<int(ClPlatform, unsigned, size_t, void*, size_t*)>("clGetPlatformInfo");
  ClPlatform platforms[16] = {};
  unsigned count = 0;
  if (platforms_of == nullptr || info_of == nullptr ||
      platforms_of(std::size(platforms), platforms, &count) != 0 || count == 0) {
    part.detail = "the OpenCL loader knows no platform";
    return part;
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min<size_t>(count, std::size(platforms)); ++i) {
    char name[256] = "";
    info_of(platforms[i], kClPlatformName, sizeof name - 1, name, nullptr);
    names.emplace_back(name);
  }
  part.found = true;
  part.detail = join(names);
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
