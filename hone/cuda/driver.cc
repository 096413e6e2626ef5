#include "hone/cuda/driver.h"

#include "hone/base/shared_library.h"

namespace hone::cuda {
namespace {

constexpr int kOldestVersion = 12000;  // Of CUDA, as drivers tell it: 1000 x major + 10 x minor.

Result<Driver> load_functions() {
  const SharedLibrary library({"libcuda.so.1"});
  if (!library) return out_of_resource("no NVIDIA driver: libcuda.so.1 is not here");
  Driver driver;
#define HONE_CUDA(symbol, ...)                                                                     \
  driver.symbol = library.find<int(__VA_ARGS__)>(#symbol);                                         \
  if (driver.symbol == nullptr) {                                                                  \
    return out_of_resource("the NVIDIA driver is too old: " #symbol " is not in ", library.path(), \
                           ", expected a driver for CUDA 12 or newer");                            \
  }
#include "hone/cuda/driver_functions.inc"
#undef HONE_CUDA
  return driver;
}

Result<Driver> start_driver() {
  HONE_TRY(const Driver driver, load_functions());
  if (const int error = driver.cuInit(0); error != 0) {
    return out_of_resource("the NVIDIA driver does not start: cuInit gives error ", error);
  }
  int version = 0;
  if (driver.cuDriverGetVersion(&version) == 0 && version < kOldestVersion) {
    return out_of_resource("the NVIDIA driver is too old: it is for CUDA ", version / 1000, ".",
                           version % 1000 / 10, ", expected 12.0 or newer");
  }
  int count = 0;
  if (driver.cuDeviceGetCount(&count) != 0 || count == 0) {
    return out_of_resource("the NVIDIA driver sees no GPU");
  }
  return driver;
}

const Result<Driver>& the_driver() {
  static const Result<Driver> kDriver = start_driver();
  return kDriver;
}

}  // namespace

Result<const Driver*> load_driver() {
  const Result<Driver>& driver = the_driver();
  if (!driver.ok()) return Error(driver.error());
  return &*driver;
}

Status check(int error, std::string_view doing) {
  if (error == 0) return Done{};
  const char* text = nullptr;
  const Result<Driver>& driver = the_driver();
  if (driver.ok()) driver->cuGetErrorString(error, &text);
  return out_of_resource(doing, ": ", text == nullptr ? "unknown error" : text, " (CUDA error ",
                         error, ")");
}

}  // namespace hone::cuda
