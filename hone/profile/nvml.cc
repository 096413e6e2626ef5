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

}  // namespace hone
