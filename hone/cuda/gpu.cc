#include "hone/cuda/gpu.h"

#include "hone/base/text.h"
#include "hone/cuda/compiler.h"
#include "hone/cuda/probe.h"

namespace hone::cuda {
namespace {

// Tensor cores with integers, and asynchronous enough to be worth it.
constexpr int kOldestCapability = 75;
constexpr int kRelaxedCapture = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED
constexpr unsigned kNonBlocking = 1;

constexpr int kOutOfMemory = 2;  // CUDA_ERROR_OUT_OF_MEMORY

// "78.3 MiB of 15.0 GiB are free", which others may use, too.
std::string free_memory_text(const Gpu& gpu) {
  size_t free = 0, all = 0;
  if (gpu.driver().cuMemGetInfo_v2(&free, &all) != 0) return "and how much is free is not told";
  return str(human_bytes(free), " of ", human_bytes(all), " are free");
}

// Memories of all these generations move two bits per wire and clock.
double memory_rate(int khz, int bits) {
  return 2e3 * khz * bits / 8;
}

}  // namespace

std::string driver_text(const GpuInfo& info) {
  return str("CUDA ", info.driver_version / 1000, ".", info.driver_version % 1000 / 10);
}

Result<GpuInfo> read_info(const Driver& driver) {
  GpuInfo info;
  int device = 0;
  HONE_RETURN_IF_ERROR(check(driver.cuDeviceGet(&device, 0), "opening the GPU"));
  char name[128] = "";
  driver.cuDeviceGetName(name, sizeof name - 1, device);
  driver.cuDeviceTotalMem_v2(&info.memory_bytes, device);
  driver.cuDriverGetVersion(&info.driver_version);
  const auto attribute = [&](int which) {
    int value = 0;
    driver.cuDeviceGetAttribute(&value, which, device);
    return value;
  };
  info.name = name;
  info.major = attribute(kCapabilityMajor);
  info.minor = attribute(kCapabilityMinor);
  info.multiprocessors = attribute(kMultiprocessors);
  info.l2_bytes = static_cast<size_t>(attribute(kL2Bytes));
  info.most_shared_bytes = static_cast<size_t>(attribute(kMostSharedBytes));
  info.most_threads = attribute(kMostThreads);
  info.most_blocks = attribute(kMostBlocks);
  info.registers = attribute(kRegistersOfAll);
  info.shared_bytes = static_cast<size_t>(attribute(kSharedBytesOfAll));
  info.clock_mhz = 1e-3 * attribute(kClockKhz);
  info.memory_rate = memory_rate(attribute(kMemoryClockKhz), attribute(kMemoryBusBits));
  char bus[32] = "";
  driver.cuDeviceGetPCIBusId(bus, sizeof bus - 1, device);
  info.bus = bus;
  if (info.major * 10 + info.minor < kOldestCapability) {
    return out_of_resource(name, " has compute capability ", info.major, ".", info.minor,
                           ", expected 7.5 or newer");
  }
  return info;
}

Result<Gpu> Gpu::make() {
  // A driver that crashes or hangs would take this process with it.
  if (const Result<std::string> probed = probe_gpu(); !probed.ok()) return Error(probed.error());
  Gpu gpu;
  HONE_TRY(gpu.driver_, load_driver());
  HONE_TRY(gpu.info_, read_info(*gpu.driver_));
  int device = 0;
  HONE_RETURN_IF_ERROR(check(gpu.driver_->cuDeviceGet(&device, 0), "opening the GPU"));
  HONE_RETURN_IF_ERROR(
      check(gpu.driver_->cuDevicePrimaryCtxRetain(&gpu.context_, device), "opening the GPU"));
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
  const int error = gpu.driver().cuMemAlloc_v2(&memory, bytes);
  if (error == kOutOfMemory) {
    return out_of_resource(human_bytes(bytes), " of the GPU's memory for ", what,
                           ": out of memory, ", free_memory_text(gpu));
  }
  HONE_RETURN_IF_ERROR(check(error, str(human_bytes(bytes), " of the GPU's memory for ", what)));
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
