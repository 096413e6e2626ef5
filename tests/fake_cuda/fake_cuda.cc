// A driver for tests of what can go wrong: it answers as libcuda.so.1 does, computes nothing, and
// fails where FAKE_CUDA tells it to: "crash" and "hang" (as soon as it is started), "init" (no
// driver in the kernel), "no_gpu", "old_version", "small" (a GPU of 64 KiB),
// "memory" (exhausted after a few bytes), "pinned" (the same of the host's), "launch" (a kernel
// faults, and from then on everything is an error), "module" (code that it does not take).

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "hone/cuda/driver.h"

namespace {

constexpr int kOutOfMemory = 2;
constexpr int kNoDevice = 100;
constexpr int kInvalidImage = 200;
constexpr int kLaunchFailed = 719;

bool asked(const char* fault) {
  const char* told = std::getenv("FAKE_CUDA");
  return told != nullptr && std::strcmp(told, fault) == 0;
}

bool lost = false;  // A context that a fault ended gives its error to every call.
int answer() {
  return lost ? kLaunchFailed : 0;
}

void* const kHandle = &lost;  // Of whatever is asked for: nothing looks into it.
int make(void** handle) {
  *handle = kHandle;
  return answer();
}

int attribute(int which) {
  switch (which) {
    case hone::cuda::kClockKhz:
      return 1980000;
    case hone::cuda::kMultiprocessors:
      return 132;
    case hone::cuda::kMemoryClockKhz:
      return 3201000;
    case hone::cuda::kMemoryBusBits:
      return 6144;
    case hone::cuda::kL2Bytes:
      return 60 << 20;
    case hone::cuda::kMostThreads:
      return 2048;
    case hone::cuda::kCapabilityMajor:
      return 9;
    case hone::cuda::kMostSharedBytes:
      return 232448;
    default:
      return 0;
  }
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  if (asked("crash")) raise(SIGSEGV);
  while (asked("hang")) pause();
  return asked("init") ? 999 : 0;
}
int cuDriverGetVersion(int* version) {
  *version = asked("old_version") ? 11040 : 13000;
  return 0;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == kOutOfMemory    ? "out of memory"
          : error == kInvalidImage ? "device kernel image is invalid"
          : error == kLaunchFailed ? "unspecified launch failure"
                                   : nullptr;
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = asked("no_gpu") ? 0 : 1;
  return asked("no_gpu") ? kNoDevice : 0;
}
int cuDeviceGet(int* device, int) {
  *device = 0;
  return 0;
}
int cuDeviceGetName(char* name, int size, int) {
  std::strncpy(name, "a GPU that is none", static_cast<size_t>(size));
  return 0;
}
int cuDeviceGetPCIBusId(char* bus, int size, int) {
  std::strncpy(bus, "0000:00:00.0", static_cast<size_t>(size));
  return 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int) {
  *bytes = asked("small") ? size_t{1} << 16 : size_t{1} << 33;
  return 0;
}
int cuDeviceGetAttribute(int* value, int which, int) {
  *value = attribute(which);
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  return make(context);
}
int cuCtxSetCurrent(void*) {
  return answer();
}
int cuMemAlloc_v2(uint64_t* memory, size_t bytes) {
  if (asked("memory") && bytes > 1024) return kOutOfMemory;
  *memory = reinterpret_cast<uint64_t>(std::calloc(1, bytes));
  return answer();
}
int cuMemGetInfo_v2(size_t* free, size_t* all) {
  *free = size_t{1} << 20;
  return cuDeviceTotalMem_v2(all, 0);
}
int cuMemFree_v2(uint64_t memory) {
  std::free(reinterpret_cast<void*>(memory));
  return answer();
}
int cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  if (asked("pinned")) return kOutOfMemory;
  *memory = std::calloc(1, bytes);
  return answer();
}
int cuMemFreeHost(void* memory) {
  std::free(memory);
  return answer();
}
int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return answer();
}
int cuMemcpyHtoDAsync_v2(uint64_t, const void*, size_t, void*) {
  return answer();
}
int cuMemcpyDtoHAsync_v2(void*, uint64_t, size_t, void*) {
  return answer();
}
int cuMemsetD8_v2(uint64_t memory, unsigned char value, size_t bytes) {
  std::memset(reinterpret_cast<void*>(memory), value, bytes);
  return answer();
}
int cuStreamCreate(void** stream, unsigned) {
  return make(stream);
}
int cuStreamDestroy_v2(void*) {
  return answer();
}
int cuStreamSynchronize(void*) {
  return answer();
}
int cuStreamBeginCapture_v2(void*, int) {
  return answer();
}
int cuStreamEndCapture(void*, void** graph) {
  return make(graph);
}
int cuGraphInstantiateWithFlags(void** executable, void*, unsigned long long) {
  return make(executable);
}
// A kernel that faults is told of by whoever waits for it.
int cuGraphLaunch(void*, void*) {
  const int now = answer();
  lost = lost || asked("launch");
  return now;
}
int cuGraphGetNodes(void*, void**, size_t* count) {
  *count = 0;
  return answer();
}
int cuGraphNodeGetType(void*, int* type) {
  *type = 0;
  return answer();
}
int cuGraphKernelNodeGetParams_v2(void*, void*) {
  return answer();
}
int cuGraphDestroy(void*) {
  return answer();
}
int cuGraphExecDestroy(void*) {
  return answer();
}
int cuEventCreate(void** event, unsigned) {
  return make(event);
}
int cuEventDestroy_v2(void*) {
  return answer();
}
int cuEventRecord(void*, void*) {
  return answer();
}
int cuEventRecordWithFlags(void*, void*, unsigned) {
  return answer();
}
int cuEventElapsedTime(float* milliseconds, void*, void*) {
  *milliseconds = 0.01f;
  return answer();
}
int cuModuleLoadData(void** module, const void*) {
  return asked("module") ? kInvalidImage : make(module);
}
int cuModuleGetFunction(void** function, void*, const char*) {
  return make(function);
}
int cuFuncSetAttribute(void*, int, int) {
  return answer();
}
int cuTensorMapEncodeTiled(void*, int, unsigned, uint64_t, const uint64_t*, const uint64_t*,
                           const unsigned*, const unsigned*, int, int, int, int) {
  return answer();
}
int cuFuncGetAttribute(int* value, int, void*) {
  *value = 32;
  return answer();
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, size_t) {
  *blocks = 2;
  return answer();
}
// A driver of before CUDA 11.8 has no such function.
#ifndef FAKE_OLD_DRIVER
int cuLaunchKernelEx(const hone::cuda::LaunchConfig*, void*, void**, void**) {
  return answer();
}
#endif

}  // extern "C"
