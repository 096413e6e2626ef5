#include "hone/profile/nvml.h"

#include "hone/base/shared_library.h"

namespace hone {

// The few functions that are needed, by the names of NVML's interface: all give 0 on success.
struct NvmlEnergy::Library {
  SharedLibrary library = SharedLibrary({"libnvidia-ml.so.1"});
  int (*init)() = library.find<int()>("nvmlInit_v2");
  int (*shutdown)() = library.find<int()>("nvmlShutdown");
  int (*count)(unsigned* count) = library.find<int(unsigned*)>("nvmlDeviceGetCount_v2");
  int (*device)(unsigned index, void** device) =
      library.find<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
  int (*name)(void* device, char* name,
              unsigned length) = library.find<int(void*, char*, unsigned)>("nvmlDeviceGetName");
  int (*energy)(void* device, unsigned long long* millijoules) =
      library.find<int(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");

  bool start() const {
    return init && shutdown && count && device && name && energy && init() == 0;
  }
};

NvmlEnergy::NvmlEnergy() : library_(std::make_unique<Library>()) {
  if (!library_->start()) library_.reset();
}

NvmlEnergy::~NvmlEnergy() {
  if (library_ != nullptr) library_->shutdown();
}

std::vector<NvmlEnergy::Reading> NvmlEnergy::read() const {
  std::vector<Reading> readings;
  unsigned count = 0;
  if (library_ == nullptr || library_->count(&count) != 0) return readings;
  for (unsigned i = 0; i < count; ++i) {
    void* device = nullptr;
    char name[96] = "GPU";
    unsigned long long millijoules = 0;
    if (library_->device(i, &device) != 0 || library_->energy(device, &millijoules) != 0) continue;
    library_->name(device, name, sizeof name);
    readings.push_back({name, static_cast<double>(millijoules)});
  }
  return readings;
}

namespace {

struct NvmlClocks {
  SharedLibrary library = SharedLibrary({"libnvidia-ml.so.1"});
  int (*init)() = library.find<int()>("nvmlInit_v2");
  int (*shutdown)() = library.find<int()>("nvmlShutdown");
  int (*device)(const char* bus, void** device) =
      library.find<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  int (*clock)(void* device, int kind,
               unsigned* mhz) = library.find<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo");
  int (*most)(void* device, int kind, unsigned* mhz) =
      library.find<int(void*, int, unsigned*)>("nvmlDeviceGetMaxClockInfo");
  // Of this name in all drivers; newer ones call it events, too.
  int (*reasons)(void* device, unsigned long long* bits) =
      library.find<int(void*, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");

  bool complete() const { return init && shutdown && device && clock && most && reasons; }

  std::optional<GpuClock> read(const std::string& bus) const {
    constexpr int kOfMultiprocessors = 1;  // NVML_CLOCK_SM
    void* gpu = nullptr;
    unsigned mhz = 0;
    unsigned most_mhz = 0;
    unsigned long long bits = 0;
    if (device(bus.c_str(), &gpu) != 0 || clock(gpu, kOfMultiprocessors, &mhz) != 0 ||
        most(gpu, kOfMultiprocessors, &most_mhz) != 0 || reasons(gpu, &bits) != 0) {
      return std::nullopt;
    }
    return GpuClock{static_cast<double>(mhz), static_cast<double>(most_mhz), clock_reasons(bits)};
  }
};

}  // namespace

std::optional<GpuClock> read_gpu_clock(const std::string& bus) {
  const NvmlClocks nvml;
  if (!nvml.complete() || nvml.init() != 0) return std::nullopt;
  const std::optional<GpuClock> clock = nvml.read(bus);
  nvml.shutdown();
  return clock;
}

std::vector<std::string> clock_reasons(uint64_t bits) {
  constexpr std::pair<uint64_t, const char*> kReasons[] = {{0x02, "a clock that was set"},
                                                           {0x04, "power limit"},
                                                           {0x08, "the board"},
                                                           {0x10, "other GPUs' clocks"},
                                                           {0x20, "heat"},
                                                           {0x40, "heat"},
                                                           {0x80, "the power supply"},
                                                           {0x100, "the display's clock"}};
  std::vector<std::string> reasons;
  for (const auto& [bit, words] : kReasons) {
    const bool told = !reasons.empty() && reasons.back() == words;
    if ((bits & bit) != 0 && !told) reasons.emplace_back(words);
  }
  return reasons;
}

}  // namespace hone
