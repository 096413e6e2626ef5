#include "hone/cuda/probe.h"

#include "hone/base/process.h"
#include "hone/base/text.h"
#include "hone/cuda/gpu.h"

namespace hone::cuda {
namespace {

// Drivers that start anew for each program take seconds for a machine full of GPUs.
constexpr double kMostSeconds = 15;
constexpr char kYes = '+';
constexpr char kNo = '-';

Result<std::string> describe_gpus() {
  HONE_TRY(const Driver* driver, load_driver());
  HONE_TRY(const GpuInfo info, read_info(*driver));
  int count = 0;
  HONE_RETURN_IF_ERROR(check(driver->cuDeviceGetCount(&count), "counting GPUs"));
  return str(count, " x ", info.name, ", ", human_bytes(info.memory_bytes), ", compute capability ",
             info.major, ".", info.minor, ", driver for ", driver_text(info));
}

std::string answer() {
  const Result<std::string> described = describe_gpus();
  return described.ok() ? str(kYes, *described) : str(kNo, described.error().message);
}

Result<std::string> ask_driver() {
  const Result<std::string> told = ask_in_child(answer, kMostSeconds);
  if (!told.ok()) return out_of_resource("the NVIDIA driver ", told.error().message);
  if (told->starts_with(kYes)) return told->substr(1);
  return out_of_resource(told->empty() ? "the NVIDIA driver says nothing" : told->substr(1));
}

}  // namespace

Result<std::string> probe_gpu() {
  static const Result<std::string> kProbed = ask_driver();
  return kProbed;
}

}  // namespace hone::cuda
