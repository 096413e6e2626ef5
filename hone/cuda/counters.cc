#include "hone/cuda/counters.h"

#include <cstddef>
#include <cstdint>

#include "hone/base/shared_library.h"

namespace hone::cuda {
namespace {

// What is used of CUPTI, in declarations of our own. Every function takes one struct that begins
// with its size, up to its last field, and a null pointer.
struct CuptiHead {
  size_t bytes = 0;
  void* none = nullptr;
};
struct InitializeArgs {
  CuptiHead head;
};
struct ChipNameArgs {
  CuptiHead head;
  size_t device = 0;
  const char* chip = nullptr;  // Out.
};
struct AvailabilityArgs {
  CuptiHead head;
  void* context = nullptr;
  size_t image_bytes = 0;  // In and out.
  uint8_t* image = nullptr;
};
struct HostInitializeArgs {
  CuptiHead head;
  int kind = 0;  // Ranges.
  const char* chip = nullptr;
  const uint8_t* availability = nullptr;
  void* host = nullptr;  // Out.
};
struct HostArgs {
  CuptiHead head;
  void* host = nullptr;
};
struct AddMetricsArgs {
  CuptiHead head;
  void* host = nullptr;
  const char** names = nullptr;
  size_t count = 0;
};
struct ConfigSizeArgs {
  CuptiHead head;
  void* host = nullptr;
  size_t bytes = 0;  // Out.
};
struct ConfigArgs {
  CuptiHead head;
  void* host = nullptr;
  size_t bytes = 0;
  uint8_t* image = nullptr;
};
struct EnableArgs {
  CuptiHead head;
  void* context = nullptr;
  void* ranges = nullptr;  // Out.
};
struct RangesArgs {
  CuptiHead head;
  void* ranges = nullptr;
};
struct DataSizeArgs {
  CuptiHead head;
  void* ranges = nullptr;
  const char** names = nullptr;
  size_t count = 0;
  size_t most_ranges = 0;
  uint32_t most_nodes = 0;
  size_t bytes = 0;  // Out.
};
struct DataInitializeArgs {
  CuptiHead head;
  void* ranges = nullptr;
  size_t bytes = 0;
  uint8_t* data = nullptr;
};
struct SetConfigArgs {
  CuptiHead head;
  void* ranges = nullptr;
  size_t config_bytes = 0;
  const uint8_t* config = nullptr;
  size_t data_bytes = 0;
  uint8_t* data = nullptr;
  int range = 1;   // One for each kernel.
  int replay = 3;  // All of them are run again, by us: CUPTI alone would save all memory each time.
  size_t most_ranges = 0;
  uint16_t levels = 1;
  uint16_t first_level = 1;
  size_t pass = 0;
  uint16_t level = 1;
};
struct StopArgs {
  CuptiHead head;
  void* ranges = nullptr;
  size_t pass = 0;
  size_t level = 0;
  uint8_t all_passes = 0;  // Out.
};
struct DecodeArgs {
  CuptiHead head;
  void* ranges = nullptr;
  size_t dropped = 0;  // Out.
};
struct DataInfoArgs {
  CuptiHead head;
  const uint8_t* data = nullptr;
  size_t bytes = 0;
  size_t ranges = 0;  // Out.
};
struct EvaluateArgs {
  CuptiHead head;
  void* host = nullptr;
  const uint8_t* data = nullptr;
  size_t bytes = 0;
  size_t range = 0;
  const char** names = nullptr;
  size_t count = 0;
  double* values = nullptr;
};

// Sizes end with the last field: padding behind it is not counted.
#define HONE_CUPTI_ARGS(type, name, last) \
  type name;                              \
  (name).head.bytes = offsetof(type, last) + sizeof((name).last)

constexpr int kMostPasses = 100;

constexpr int kNoPrivilege = 35;
constexpr int kNoPrivilegeInVm = 40;

class Cupti {
 public:
  static Result<Cupti> open() {
    Cupti cupti;
    if (!cupti.library_) return out_of_resource("no counters of the GPU: libcupti is not here");
    return cupti;
  }

  template <class Args>
  Status call(const char* symbol, Args& args) const {
    const auto function = library_.find<int(Args*)>(symbol);
    if (function == nullptr) {
      return out_of_resource("no counters of the GPU: ", library_.path(), " has no ", symbol,
                             ", expected CUPTI of CUDA 12.6 or newer");
    }
    const int error = function(&args);
    if (error == 0) return Done{};
    if (error == kNoPrivilege || error == kNoPrivilegeInVm) {
      return out_of_resource(
          "no counters of the GPU: the driver keeps them for administrators (ERR_NVGPUCTRPERM)");
    }
    return out_of_resource("no counters of the GPU: ", symbol, " gives error ", error);
  }

 private:
  SharedLibrary library_ = SharedLibrary({"libcupti.so.13", "libcupti.so.12",
                                          "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                                          "/usr/local/cuda/lib64/libcupti.so", "libcupti.so"});
};

class LaunchCounting {
 public:
  LaunchCounting(const Gpu& gpu, const Cupti& cupti, const std::vector<std::string>& metrics,
                 size_t launches)
      : gpu_(gpu), cupti_(cupti), launches_(launches) {
    for (const std::string& metric : metrics) names_.push_back(metric.c_str());
  }
  LaunchCounting(const LaunchCounting&) = delete;
  LaunchCounting& operator=(const LaunchCounting&) = delete;
  ~LaunchCounting() {
    if (ranges_ != nullptr) {
      HONE_CUPTI_ARGS(RangesArgs, args, ranges);
      args.ranges = ranges_;
      static_cast<void>(cupti_.call("cuptiRangeProfilerDisable", args));
    }
    if (host_ == nullptr) return;
    HONE_CUPTI_ARGS(HostArgs, args, host);
    args.host = host_;
    static_cast<void>(cupti_.call("cuptiProfilerHostDeinitialize", args));
  }

  Result<std::vector<std::vector<double>>> count(const std::function<Status()>& work) {
    HONE_RETURN_IF_ERROR(make_config());
    HONE_RETURN_IF_ERROR(make_data());
    HONE_RETURN_IF_ERROR(set_config());
    bool complete = false;
    for (int pass = 0; pass < kMostPasses && !complete; ++pass) {
      HONE_TRY(complete, run_pass(work));
    }
    if (!complete) {
      return out_of_resource("no counters of the GPU: ", kMostPasses, " runs were not enough");
    }
    HONE_CUPTI_ARGS(DecodeArgs, decode, dropped);
    decode.ranges = ranges_;
    HONE_RETURN_IF_ERROR(cupti_.call("cuptiRangeProfilerDecodeData", decode));
    return values();
  }

 private:
  // Whether it was the last.
  Result<bool> run_pass(const std::function<Status()>& work) {
    HONE_CUPTI_ARGS(RangesArgs, start, ranges);
    start.ranges = ranges_;
    HONE_RETURN_IF_ERROR(cupti_.call("cuptiRangeProfilerStart", start));
    const Status worked = work();
    HONE_CUPTI_ARGS(StopArgs, stop, all_passes);
    stop.ranges = ranges_;
    HONE_RETURN_IF_ERROR(cupti_.call("cuptiRangeProfilerStop", stop));
    if (!worked.ok()) return Error(worked.error());
    return stop.all_passes != 0;
  }

  // Of the metrics, for this chip.
  Status make_config() {
    HONE_CUPTI_ARGS(InitializeArgs, initialize, head.none);
    HONE_RETURN_IF_ERROR(cupti_.call("cuptiProfilerInitialize", initialize));
    HONE_CUPTI_ARGS(ChipNameArgs, chip, chip);
    HONE_RETURN_IF_ERROR(cupti_.call("cuptiDeviceGetChipName", chip));
    HONE_CUPTI_ARGS(AvailabilityArgs, available, image);
    available.context = gpu_.context();
    HONE_RETURN_IF_ERROR(cupti_.call("cuptiProfilerGetCounterAvailability", available));
    std::vector<uint8_t> image(available.image_bytes);
    available.image = image.data();
    HONE_RETURN_IF_ERROR(cupti_.call("cuptiProfilerGetCounterAvailability", available));
    HONE_CUPTI_ARGS(HostInitializeArgs, host, host);
    host.chip = chip.chip;
    host.availability = image.data();
    HONE_RETURN_IF_ERROR(cupti_.call("cuptiProfilerHostInitialize", host));
    host_ = host.host;
    HONE_CUPTI_ARGS(AddMetricsArgs, add, count);
    add.host = host_;
    add.names = names_.data();
    add.count = names_.size();
    HONE_RETURN_IF_ERROR(cupti_.call("cuptiProfilerHostConfigAddMetrics", add));
    HONE_CUPTI_ARGS(ConfigSizeArgs, size, bytes);
    size.host = host_;
    HONE_RETURN_IF_ERROR(cupti_.call("cuptiProfilerHostGetConfigImageSize", size));
    config_.resize(size.bytes);
    HONE_CUPTI_ARGS(ConfigArgs, config, image);
    config.host = host_;
    config.bytes = config_.size();
    config.image = config_.data();
    return cupti_.call("cuptiProfilerHostGetConfigImage", config);
  }

  Status make_data() {
    HONE_CUPTI_ARGS(EnableArgs, enable, ranges);
    enable.context = gpu_.context();
    HONE_RETURN_IF_ERROR(cupti_.call("cuptiRangeProfilerEnable", enable));
    ranges_ = enable.ranges;
    HONE_CUPTI_ARGS(DataSizeArgs, size, bytes);
    size.ranges = ranges_;
    size.names = names_.data();
    size.count = names_.size();
    size.most_ranges = launches_;
    size.most_nodes = static_cast<uint32_t>(launches_);
    HONE_RETURN_IF_ERROR(cupti_.call("cuptiRangeProfilerGetCounterDataSize", size));
    data_.resize(size.bytes);
    HONE_CUPTI_ARGS(DataInitializeArgs, initialize, data);
    initialize.ranges = ranges_;
    initialize.bytes = data_.size();
    initialize.data = data_.data();
    return cupti_.call("cuptiRangeProfilerCounterDataImageInitialize", initialize);
  }

  Status set_config() {
    HONE_CUPTI_ARGS(SetConfigArgs, args, level);
    args.ranges = ranges_;
    args.config_bytes = config_.size();
    args.config = config_.data();
    args.data_bytes = data_.size();
    args.data = data_.data();
    args.most_ranges = launches_;
    return cupti_.call("cuptiRangeProfilerSetConfig", args);
  }

  Result<std::vector<std::vector<double>>> values() {
    HONE_CUPTI_ARGS(DataInfoArgs, info, ranges);
    info.data = data_.data();
    info.bytes = data_.size();
    HONE_RETURN_IF_ERROR(cupti_.call("cuptiRangeProfilerGetCounterDataInfo", info));
    if (info.ranges != launches_) {
      return out_of_resource("no counters of the GPU: ", info.ranges, " kernels were counted of ",
                             launches_);
    }
    std::vector<std::vector<double>> all;
    for (size_t range = 0; range < info.ranges; ++range) {
      std::vector<double>& values = all.emplace_back(names_.size());
      HONE_CUPTI_ARGS(EvaluateArgs, args, values);
      args.host = host_;
      args.data = data_.data();
      args.bytes = data_.size();
      args.range = range;
      args.names = names_.data();
      args.count = names_.size();
      args.values = values.data();
      HONE_RETURN_IF_ERROR(cupti_.call("cuptiProfilerHostEvaluateToGpuValues", args));
    }
    return all;
  }

  const Gpu& gpu_;
  const Cupti& cupti_;
  const size_t launches_;
  std::vector<const char*> names_;
  std::vector<uint8_t> config_;
  std::vector<uint8_t> data_;
  void* host_ = nullptr;
  void* ranges_ = nullptr;
};

}  // namespace

Result<std::vector<std::vector<double>>> count_launches(const Gpu& gpu,
                                                        const std::vector<std::string>& metrics,
                                                        size_t launches,
                                                        const std::function<Status()>& work) {
  HONE_RETURN_IF_ERROR(gpu.use());
  HONE_TRY(const Cupti cupti, Cupti::open());
  return LaunchCounting(gpu, cupti, metrics, launches).count(work);
}

}  // namespace hone::cuda
