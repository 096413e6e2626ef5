// Traces of PyTorch's profiler: Chrome trace events that Kineto writes, with the GPU's own beside
// those of the host. A kernel has the `correlation` of the call that launched it.

#include <algorithm>
#include <array>
#include <cmath>

#include "hone/base/str.h"
#include "hone/profile/import/evidence.h"
#include "hone/profile/import/gpu_trace.h"
#include "hone/profile/import/importer_def.h"
#include "hone/profile/import/json_list.h"
#include "hone/profile/import/rows.h"

namespace hone {
namespace {

// Times count from when the machine was started, or from 1970.
constexpr double kMostTraceUs = 1e16;
// Correlations and identifiers beyond this are no exact numbers any more.
constexpr double kMostIdentifier = 9e15;

// Rows and columns of an operand; an extent of 0 where it has none.
struct Operand {
  double batch = 1, rows = 0, columns = 0;
};

Operand operand_of(const Json& dims, size_t index) {
  constexpr double kMostExtent = 1e9;
  if (!dims.is_array() || index >= dims.size() || !dims[index].is_array()) return {};
  std::vector<double> extents;
  for (const Json& extent : dims[index]) {
    if (!extent.is_number()) return {};
    const auto value = extent.get<double>();
    if (!(value >= 0 && value <= kMostExtent)) return {};
    extents.push_back(value);
  }
  if (extents.size() < 2 || extents.size() > 3) return {};
  const size_t n = extents.size();
  return {n == 3 ? extents[0] : 1, extents[n - 2], extents[n - 1]};
}

// Products of matrices, and which of their operands are those. What a convolution computes is not
// in its operands' shapes alone.
struct ProductOp {
  std::string_view name;
  size_t left;
};
constexpr std::array kProductOps = {ProductOp{"aten::mm", 0}, ProductOp{"aten::bmm", 0},
                                    ProductOp{"aten::addmm", 1}, ProductOp{"aten::baddbmm", 1},
                                    ProductOp{"aten::_addmm_activation", 1}};

// "[64,1024]": of the operand with the most elements. Empty where none is told.
std::string largest_extents(const Json& args) {
  if (!args.contains("Input Dims") || !args["Input Dims"].is_array()) return "";
  double most = 0;
  std::string largest;
  for (const Json& operand : args["Input Dims"]) {
    if (!operand.is_array() || operand.empty()) continue;
    double elements = 1;
    std::vector<std::string> extents;
    for (const Json& extent : operand) {
      if (!extent.is_number_unsigned()) break;
      elements *= extent.get<double>();
      extents.push_back(str(extent.get<uint64_t>()));
    }
    if (extents.size() != operand.size() || elements <= most) continue;
    most = elements;
    largest = str("[", join(extents, ","), "]");
  }
  return largest;
}

int64_t macs_of(const std::string& name, const Json& args) {
  const auto* op = std::ranges::find(kProductOps, std::string_view(name), &ProductOp::name);
  if (op == kProductOps.end() || !args.contains("Input Dims")) return 0;
  const Operand left = operand_of(args["Input Dims"], op->left);
  const Operand right = operand_of(args["Input Dims"], op->left + 1);
  const double macs = left.batch * left.rows * left.columns * right.columns;
  return macs < kMostCount ? static_cast<int64_t>(macs) : 0;
}

// "HtoD, pageable" of "Memcpy HtoD (Pageable -> Device)"; empty for copies within the device.
std::string copy_between(const std::string& name) {
  for (const std::string_view way : {"HtoD", "DtoH"}) {
    if (name.find(way) == std::string::npos) continue;
    const bool pageable = name.find("Pageable") != std::string::npos;
    return str(way, pageable ? ", pageable" : ", pinned");
  }
  return "";
}

class KinetoReader {
 public:
  Status take(const Json& event) {
    if (text_at(event, "ph") != "X") return Done{};
    const std::string category = text_at(event, "cat");
    const std::string name = text_at(event, "name");
    return take_span(event, category, name).in(str("event '", name.substr(0, 60), "'"));
  }

  Result<Profile> finished(const Json& trace) {
    Profile profile = imported_profile("pytorch", "cuda");
    std::string others;
    add_device(trace, keep_busiest_gpu(trace_, others), profile);
    HONE_TRY(Profile done, profile_of_trace(std::move(trace_), std::move(profile)));
    if (!others.empty()) done.notes.push_back(others);
    done.notes.push_back(
        "the runs were made with PyTorch's profiler on, which takes the host about 2 us for every "
        "operator and call");
    return done;
  }

 private:
  Status take_span(const Json& event, const std::string& category, const std::string& name) {
    static const Json kNothing = Json::object();
    const bool has_args = event.contains("args") && event["args"].is_object();
    const Json& args = has_args ? event["args"] : kNothing;
    if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset") {
      return take_work(event, args, category, name);
    }
    if (category == "cuda_runtime" || category == "cuda_driver") {
      GpuCall call{{}, name};
      HONE_RETURN_IF_ERROR(read_span(event, call, call.thread));
      HONE_TRY(call.correlation, identifier(args, "correlation"));
      trace_.calls.push_back(std::move(call));
      return Done{};
    }
    const bool loads = category == "user_annotation" && name.starts_with("enumerate(DataLoader)");
    if (category == "cpu_op" || loads) {
      HostOp op{{}, name};
      HONE_RETURN_IF_ERROR(read_span(event, op, op.thread));
      op.macs = macs_of(name, args);
      op.extents = largest_extents(args);
      trace_.ops.push_back(std::move(op));
    } else if (category == "user_annotation") {
      TraceMark mark{{}, name};
      HONE_RETURN_IF_ERROR(read_span(event, mark, mark.thread));
      trace_.marks.push_back(std::move(mark));
    }
    return Done{};
  }

  Status take_work(const Json& event, const Json& args, const std::string& category,
                   const std::string& name) {
    if (name.empty()) return bad_input("no 'name', expected that of a kernel");
    GpuWork work{{}, name};
    work.kernel = category == "kernel";
    int64_t stream = 0;
    HONE_RETURN_IF_ERROR(read_span(event, work, stream));
    HONE_TRY(const uint64_t told, identifier(args, "stream"));
    work.stream = args.contains("stream") ? static_cast<int64_t>(told) : stream;
    HONE_TRY(const uint64_t gpu, identifier(args, "device"));
    work.gpu = static_cast<int64_t>(gpu);
    HONE_TRY(work.correlation, identifier(args, "correlation"));
    if (category == "gpu_memcpy") work.copy = copy_between(name);
    HONE_TRY(const double bytes, number_or_zero(args, "bytes", kMostCount));
    work.bytes = static_cast<uint64_t>(bytes);
    if (work.kernel) add_launch_counters(args, work);
    trace_.works.push_back(std::move(work));
    return Done{};
  }

  static Status read_span(const Json& event, TraceSpan& span, int64_t& thread) {
    HONE_TRY(span.start, number_at(event, "ts", kMostTraceUs));
    HONE_TRY(span.us, number_or_zero(event, "dur", kMostUs));
    const auto tid = event.find("tid");
    const bool numbered = tid != event.end() && tid->is_number_integer();
    thread = numbered ? tid->get<int64_t>() : 0;
    return Done{};
  }

  static Result<uint64_t> identifier(const Json& args, const char* key) {
    HONE_TRY(const double value, number_or_zero(args, key, kMostIdentifier));
    return static_cast<uint64_t>(value);
  }

  // How the kernel was launched: what its size is to the GPU.
  static void add_launch_counters(const Json& args, GpuWork& work) {
    const auto add = [&](std::string name, double value, const char* unit, Mode mode) {
      work.counters.push_back(
          {.name = std::move(name), .value = value, .unit = unit, .mode = mode});
    };
    const auto product = [&](const char* key) {
      double all = args.contains(key) && args[key].is_array() ? 1 : 0;
      for (size_t i = 0; all > 0 && i < args[key].size(); ++i) {
        all = args[key][i].is_number() ? all * args[key][i].get<double>() : 0;
      }
      return std::isfinite(all) ? all : 0;
    };
    if (const double blocks = product("grid"); blocks > 0) add("blocks", blocks, "", Mode::Exact);
    if (const double threads = product("block"); threads > 0) {
      add("threads per block", threads, "", Mode::Exact);
    }
    const auto copy = [&](const char* key, const char* name, const char* unit, Mode mode) {
      const Result<double> value = number_at(args, key, kMostCount);
      if (value.ok()) add(name, *value, unit, mode);
    };
    copy("registers per thread", "registers per thread", "", Mode::Exact);
    copy("shared memory", "shared memory per block", "B", Mode::Exact);
    copy("est. achieved occupancy %", "estimated occupancy", "%", Mode::Predicted);
  }

  static void add_device(const Json& trace, int64_t used, Profile& profile) {
    GpuTimeline& gpu = profile.gpu.emplace();
    const auto devices = trace.find("deviceProperties");
    if (devices == trace.end() || !devices->is_array() || devices->empty()) return;
    const auto found = std::ranges::find_if(*devices, [&](const Json& device) {
      return device.is_object() && device.contains("id") && device["id"] == used;
    });
    const Json& device = found == devices->end() ? (*devices)[0] : *found;
    if (!device.is_object()) return;
    gpu.gpu = text_at(device, "name");
    const auto number = [&](const char* key) {
      constexpr double kMostProcessors = 1e6;
      const Result<double> value = number_or_zero(device, key, kMostProcessors);
      return value.ok() ? static_cast<int64_t>(*value) : 0;
    };
    gpu.processors = number("numSms");
    if (device.contains("computeMajor")) {
      gpu.capability = str(number("computeMajor"), ".", number("computeMinor"));
    }
    profile.device = gpu.gpu;
  }

  GpuTrace trace_;
};

bool recognizes_pytorch(std::string_view text) {
  const auto says = [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  };
  return says("\"traceEvents\"") && (says("\"cpu_op\"") || says("\"cuda_runtime\"")) &&
         says("\"External id\"");
}

Result<Profile> read_pytorch(std::string_view text, const ImportOptions&) {
  KinetoReader reader;
  HONE_TRY(const Json trace, for_each_object_under(text, "traceEvents", [&](const Json& event) {
             return reader.take(event);
           }));
  return reader.finished(trace);
}

}  // namespace

extern const ImporterDef importer_pytorch = {
    .name = "pytorch",
    .summary = "a trace of PyTorch's profiler (export_chrome_trace), also packed (.json.gz)",
    .recognizes = recognizes_pytorch,
    .read = read_pytorch,
};

}  // namespace hone
