#include "hone/profile/nvml.h"

#include <dlfcn.h>

namespace hone {

// The few functions that are needed, by the names of NVML's interface: all give 0 on success.
struct NvmlEnergy::Library {
  void* handle = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned* count) = nullptr;
  int (*device)(unsigned index, void** device) = nullptr;
  int (*name)(void* device, char* name, unsigned length) = nullptr;
  int (*energy)(void* device, unsigned long long* millijoules) = nullptr;

  template <class Function>
  bool find(const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle, symbol));
    return function != nullptr;
  }

  bool load() {
    handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    return handle != nullptr && find("nvmlInit_v2", init) && find("nvmlShutdown", shutdown) &&
           find("nvmlDeviceGetCount_v2", count) && find("nvmlDeviceGetHandleByIndex_v2", device) &&
           find("nvmlDeviceGetName", name) && find("nvmlDeviceGetTotalEnergyConsumption", energy) &&
           init() == 0;
  }
};

NvmlEnergy::NvmlEnergy() : library_(std::make_unique<Library>()) {
  if (library_->load()) return;
  if (library_->handle != nullptr) dlclose(library_->handle);
  library_.reset();
}

NvmlEnergy::~NvmlEnergy() {
  if (library_ == nullptr) return;
  library_->shutdown();
  dlclose(library_->handle);
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
