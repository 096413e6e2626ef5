#include "hone/cuda/gpu.h"

#include "hone/base/text.h"
#include "hone/cuda/compiler.h"

namespace hone::cuda {
namespace {

// Tensor cores with integers, and asynchronous enough to be worth it.
constexpr int kOldestCapability = 75;
constexpr int kRelaxedCapture = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED
constexpr unsigned kNonBlocking = 1;

// Memories of all these generations move two bits per wire and clock.
double memory_rate(int khz, int bits) {
  return 2e3 * khz * bits / 8;
}

}  // namespace

std::string driver_text(const GpuInfo& info) {
  return str("CUDA ", info.driver_version / 1000, ".", info.driver_version % 1000 / 10);
}

Result<Gpu> Gpu::make() {
  Gpu gpu;
  HONE_TRY(gpu.driver_, load_driver());
  const Driver& driver = *gpu.driver_;
  int device = 0;
  HONE_RETURN_IF_ERROR(check(driver.cuDeviceGet(&device, 0), "opening the GPU"));
  char name[128] = "";
  driver.cuDeviceGetName(name, sizeof name - 1, device);
  driver.cuDeviceTotalMem_v2(&gpu.info_.memory_bytes, device);
  driver.cuDriverGetVersion(&gpu.info_.driver_version);
  const auto attribute = [&](int which) {
    int value = 0;
    driver.cuDeviceGetAttribute(&value, which, device);
    return value;
  };
  gpu.info_.name = name;
  gpu.info_.major = attribute(kCapabilityMajor);
  gpu.info_.minor = attribute(kCapabilityMinor);
  gpu.info_.multiprocessors = attribute(kMultiprocessors);
  gpu.info_.l2_bytes = static_cast<size_t>(attribute(kL2Bytes));
  gpu.info_.most_shared_bytes = static_cast<size_t>(attribute(kMostSharedBytes));
  gpu.info_.most_threads = attribute(kMostThreads);
  gpu.info_.most_blocks = attribute(kMostBlocks);
  gpu.info_.registers = attribute(kRegistersOfAll);
  gpu.info_.shared_bytes = static_cast<size_t>(attribute(kSharedBytesOfAll));
  gpu.info_.clock_mhz = 1e-3 * attribute(kClockKhz);
  gpu.info_.memory_rate = memory_rate(attribute(kMemoryClockKhz), attribute(kMemoryBusBits));
  char bus[32] = "";
  driver.cuDeviceGetPCIBusId(bus, sizeof bus - 1, device);
  gpu.info_.bus = bus;
  if (gpu.info_.major * 10 + gpu.info_.minor < kOldestCapability) {
    return out_of_resource(name, " has compute capability ", gpu.info_.major, ".", gpu.info_.minor,
                           ", expected 7.5 or newer");
  }
  HONE_RETURN_IF_ERROR(
      check(driver.cuDevicePrimaryCtxRetain(&gpu.context_, device), "opening the GPU"));
  return gpu;
}

Result<const Gpu*> Gpu::open() {
  static const Result<Gpu> kGpu = make();
  if (!kGpu.ok()) return Error(kGpu.error());
  HONE_RETURN_IF_ERROR(kGpu->use());
  return &*kGpu;
}

std::string Gpu::architecture() const {
  return architecture_name(info_.major, info_.minor);
}

Status Gpu::use() const {
  return check(driver_->cuCtxSetCurrent(context_), "using the GPU");
}

Result<DeviceMemory> allocate(const Gpu& gpu, size_t bytes, std::string_view what) {
  if (bytes == 0) return DeviceMemory();
  uint64_t memory = 0;
  HONE_RETURN_IF_ERROR(check(gpu.driver().cuMemAlloc_v2(&memory, bytes),
                             str(human_bytes(bytes), " of the GPU's memory for ", what)));
  return DeviceMemory(memory, gpu.driver().cuMemFree_v2);
}

Result<PinnedMemory> allocate_pinned(const Gpu& gpu, size_t bytes, std::string_view what) {
  if (bytes == 0) return PinnedMemory();
  void* memory = nullptr;
  HONE_RETURN_IF_ERROR(check(gpu.driver().cuMemHostAlloc(&memory, bytes, 0),
                             str(human_bytes(bytes), " of pinned memory for ", what)));
  return PinnedMemory(memory, gpu.driver().cuMemFreeHost);
}

Result<Stream> make_stream(const Gpu& gpu) {
  void* stream = nullptr;
  HONE_RETURN_IF_ERROR(
      check(gpu.driver().cuStreamCreate(&stream, kNonBlocking), "making a stream"));
  return Stream(stream, gpu.driver().cuStreamDestroy_v2);
}

Result<Event> make_event(const Gpu& gpu) {
  void* event = nullptr;
  HONE_RETURN_IF_ERROR(check(gpu.driver().cuEventCreate(&event, 0), "making an event"));
  return Event(event, gpu.driver().cuEventDestroy_v2);
}

Status upload(const Gpu& gpu, uint64_t to, std::span<const std::byte> bytes) {
  return check(gpu.driver().cuMemcpyHtoD_v2(to, bytes.data(), bytes.size()), "copying to the GPU");
}

Status begin_recording(const Gpu& gpu, const Stream& stream) {
  return check(gpu.driver().cuStreamBeginCapture_v2(stream.get(), kRelaxedCapture),
               "recording a graph");
}

Result<Recording> end_recording(const Gpu& gpu, const Stream& stream) {
  void* graph = nullptr;
  HONE_RETURN_IF_ERROR(
      check(gpu.driver().cuStreamEndCapture(stream.get(), &graph), "recording a graph"));
  const Owned<void*> recorded(graph, gpu.driver().cuGraphDestroy);
  void* executable = nullptr;
  HONE_RETURN_IF_ERROR(check(gpu.driver().cuGraphInstantiateWithFlags(&executable, graph, 0),
                             "making a graph ready"));
  return Recording(executable, gpu.driver().cuGraphExecDestroy);
}

}  // namespace hone::cuda
