// Databases of Nsight Systems (`nsys export --type sqlite`): a table for each kind of record, times
// in nanoseconds, names in a table of strings. Tables are there when they have a row, columns come
// and go with versions.

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "hone/profile/import/evidence.h"
#include "hone/profile/import/gpu_trace.h"
#include "hone/profile/import/importer_def.h"
#include "hone/profile/import/nsight_gpus.h"
#include "hone/profile/import/rows.h"
#include "hone/profile/import/sqlite.h"

namespace hone {
namespace {

constexpr uint64_t kMostCopied = 10'000'000'000'000;  // Bytes; no GPU has as many.
constexpr std::string_view kKernelTable = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kCopyTable = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kFillTable = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kGraphTable = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";

// Of ENUM_CUDA_MEMCPY_OPER and ENUM_CUDA_MEM_KIND, and of NVTX_EVENTS.
constexpr int64_t kHostToDevice = 1;
constexpr int64_t kDeviceToHost = 2;
constexpr int64_t kPageable = 0;
constexpr int64_t kRangeTypes[] = {59, 60};  // Pushed and popped; started and ended.
// Of ENUM_CUPTI_SYNC_TYPE: a stream that waits for an event holds up no host.
constexpr int64_t kStreamWaitsForEvent = 2;

// A thread is the last 24 bits of what tells it from those of other processes.
constexpr int64_t kThreadBits = (int64_t{1} << 24) - 1;

// "cudaLaunchKernel" of "cudaLaunchKernel_v7000"; "_v2" is part of a name.
std::string without_version(std::string name) {
  const size_t at = name.rfind("_v");
  constexpr size_t kLeastDigits = 4;
  if (at == std::string::npos || name.size() - at - 2 < kLeastDigits) return name;
  const bool digits =
      std::ranges::all_of(name.substr(at + 2), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? name.substr(0, at) : name;
}

class NsysDatabase {
 public:
  explicit NsysDatabase(SqliteDatabase database) : database_(std::move(database)) {}

  Result<Profile> read() {
    const bool any = std::ranges::any_of(
        std::initializer_list<std::string_view>{kKernelTable, kCopyTable, kFillTable, kGraphTable},
        [&](std::string_view table) { return database_.has_table(table); });
    if (!any) {
      return bad_input("a database without ", kKernelTable,
                       "; expected one of `nsys export` of a program that used a GPU");
    }
    HONE_RETURN_IF_ERROR(read_strings());
    HONE_RETURN_IF_ERROR(choose_gpu());
    HONE_RETURN_IF_ERROR(each_work(kKernelTable, &NsysDatabase::take_kernel));
    HONE_RETURN_IF_ERROR(each_work(kCopyTable, &NsysDatabase::take_copy));
    HONE_RETURN_IF_ERROR(each_work(kFillTable, &NsysDatabase::take_fill));
    HONE_RETURN_IF_ERROR(each_work(kGraphTable, &NsysDatabase::take_graph));
    HONE_RETURN_IF_ERROR(read_calls());
    HONE_RETURN_IF_ERROR(read_waits());
    HONE_RETURN_IF_ERROR(read_ranges());
    return finished();
  }

 private:
  using TakeWork = void (NsysDatabase::*)(const SqliteRow& row, GpuWork& work) const;

  Status read_strings() {
    return database_.each_row("StringIds", [&](const SqliteRow& row) -> Status {
      const auto id = row.integer("id");
      if (id) strings_[*id] = row.text("value").value_or("");
      return Done{};
    });
  }

  // Work of several GPUs at once is no run of one: that which was busiest is told.
  Status choose_gpu() {
    std::map<int64_t, double> busy;
    for (const std::string_view table : {kKernelTable, kCopyTable, kFillTable, kGraphTable}) {
      HONE_RETURN_IF_ERROR(database_.each_row(table, [&](const SqliteRow& row) -> Status {
        HONE_TRY(const TraceSpan span, span_of(row, table));
        busy[row.integer("deviceId").value_or(0)] += span.us;
        return Done{};
      }));
    }
    gpus_ = busy.size();
    const auto most =
        std::ranges::max_element(busy, {}, [](const auto& gpu) { return gpu.second; });
    if (most != busy.end()) gpu_ = most->first;
    return Done{};
  }

  static Result<TraceSpan> span_of(const SqliteRow& row, std::string_view table) {
    const auto start = row.integer("start"), end = row.integer("end");
    const auto us = [](int64_t ns) { return 1e-3 * static_cast<double>(ns); };
    constexpr double kMostNsysStart = 1e16;
    const bool right = start && end && *end >= *start && *start >= 0 && us(*end) < kMostNsysStart &&
                       us(*end) - us(*start) <= kMostUs;
    if (!right) {
      return bad_input("table ", table, ": a row from ", start ? str(*start) : "nothing", " to ",
                       end ? str(*end) : "nothing", ", expected nanoseconds that go forward");
    }
    return TraceSpan{us(*start), us(*end) - us(*start)};
  }

  std::string string_of(std::optional<int64_t> id) const {
    const auto found = id ? strings_.find(*id) : strings_.end();
    return found == strings_.end() ? "" : found->second;
  }

  static uint64_t unsigned_of(const SqliteRow& row, std::string_view column) {
    return static_cast<uint64_t>(std::max<int64_t>(0, row.integer(column).value_or(0)));
  }

  static int64_t thread_of(const SqliteRow& row) {
    return row.integer("globalTid").value_or(0) & kThreadBits;
  }

  Status each_work(std::string_view table, TakeWork take) {
    return database_.each_row(table, [&](const SqliteRow& row) -> Status {
      if (row.integer("deviceId").value_or(0) != gpu_) return Done{};
      GpuWork work{};
      HONE_TRY(static_cast<TraceSpan&>(work), span_of(row, table));
      work.stream = row.integer("streamId").value_or(0);
      work.correlation = unsigned_of(row, "correlationId");
      work.bytes = unsigned_of(row, "bytes");
      if (work.bytes > kMostCopied) {
        return bad_input("table ", table, ": ", work.bytes, " bytes at once, expected at most ",
                         kMostCopied);
      }
      (this->*take)(row, work);
      if (work.name.empty()) return bad_input("table ", table, ": a row without a name");
      trace_.works.push_back(std::move(work));
      return Done{};
    });
  }

  void take_kernel(const SqliteRow& row, GpuWork& work) const {
    work.name = string_of(row.integer("demangledName"));
    if (work.name.empty()) work.name = string_of(row.integer("shortName"));
    const auto add = [&](const char* name, std::initializer_list<const char*> columns) {
      double all = 1;
      for (const char* column : columns) all *= static_cast<double>(unsigned_of(row, column));
      if (all > 0) work.counters.push_back({.name = name, .value = all, .mode = Mode::Exact});
    };
    add("blocks", {"gridX", "gridY", "gridZ"});
    add("threads per block", {"blockX", "blockY", "blockZ"});
    add("registers per thread", {"registersPerThread"});
  }

  void take_copy(const SqliteRow& row, GpuWork& work) const {
    const int64_t kind = row.integer("copyKind").value_or(0);
    const bool in = kind == kHostToDevice, out = kind == kDeviceToHost;
    work.kernel = false;
    work.name = in    ? "[CUDA memcpy Host-to-Device]"
                : out ? "[CUDA memcpy Device-to-Host]"
                      : "[CUDA memcpy Device-to-Device]";
    if (!in && !out) return;
    const bool pageable = row.integer(in ? "srcKind" : "dstKind") == kPageable;
    work.copy = str(in ? "HtoD" : "DtoH", pageable ? ", pageable" : ", pinned");
  }

  void take_fill(const SqliteRow&, GpuWork& work) const {
    work.kernel = false;
    work.name = "[CUDA memset]";
  }

  // Of graphs that were traced as a whole: their kernels are not told.
  void take_graph(const SqliteRow& row, GpuWork& work) const {
    work.name = str("CUDA graph ", row.integer("graphId").value_or(0));
  }

  Status read_calls() {
    constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
    return database_.each_row(kTable, [&](const SqliteRow& row) -> Status {
      GpuCall call{};
      HONE_TRY(static_cast<TraceSpan&>(call), span_of(row, kTable));
      call.name = without_version(string_of(row.integer("nameId")));
      call.thread = thread_of(row);
      call.correlation = unsigned_of(row, "correlationId");
      trace_.calls.push_back(std::move(call));
      return Done{};
    });
  }

  // What the host waited for, where the call that waited is not told.
  Status read_waits() {
    constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
    std::set<uint64_t> told;
    for (const GpuCall& call : trace_.calls) told.insert(call.correlation);
    return database_.each_row(kTable, [&](const SqliteRow& row) -> Status {
      const uint64_t correlation = unsigned_of(row, "correlationId");
      if (row.integer("syncType") == kStreamWaitsForEvent || told.contains(correlation)) {
        return Done{};
      }
      GpuCall call{};
      HONE_TRY(static_cast<TraceSpan&>(call), span_of(row, kTable));
      call.name = "Synchronize";
      call.correlation = correlation;
      trace_.calls.push_back(std::move(call));
      return Done{};
    });
  }

  Status read_ranges() {
    constexpr std::string_view kTable = "NVTX_EVENTS";
    return database_.each_row(kTable, [&](const SqliteRow& row) -> Status {
      const auto type = row.integer("eventType");
      // One that was never left has no end.
      const bool range = type && std::ranges::count(kRangeTypes, *type) > 0 && row.integer("end");
      if (!range) return Done{};
      TraceMark mark{};
      HONE_TRY(static_cast<TraceSpan&>(mark), span_of(row, kTable));
      mark.name = row.text("text").value_or("");
      if (mark.name.empty()) mark.name = string_of(row.integer("textId"));
      mark.thread = thread_of(row);
      trace_.marks.push_back(std::move(mark));
      return Done{};
    });
  }

  // CUDA counts GPUs as a process sees them, the list of them as they are built in.
  Result<int64_t> listed_gpu() const {
    int64_t listed = gpu_;
    HONE_RETURN_IF_ERROR(
        database_.each_row("TARGET_INFO_CUDA_DEVICE", [&](const SqliteRow& row) -> Status {
          if (row.integer("cudaId") == gpu_) listed = row.integer("gpuId").value_or(gpu_);
          return Done{};
        }));
    return listed;
  }

  // Of the GPU that was chosen; nothing where the table does not have it.
  Status describe_gpu(GpuTimeline& gpu) const {
    HONE_TRY(const int64_t listed, listed_gpu());
    HONE_RETURN_IF_ERROR(database_.each_row("TARGET_INFO_GPU", [&](const SqliteRow& row) -> Status {
      if (row.integer("id").value_or(0) != listed) return Done{};
      gpu.gpu = row.text("name").value_or("");
      const auto major = row.integer("computeMajor"), minor = row.integer("computeMinor");
      if (major && minor) gpu.capability = str(*major, ".", *minor);
      gpu.processors = std::clamp<int64_t>(row.integer("smCount").value_or(0), 0, 1 << 20);
      return Done{};
    }));
    if (gpu.capability.empty()) gpu.capability = nsight_capability(gpu.gpu);
    return Done{};
  }

  Result<Profile> finished() {
    Profile profile = imported_profile("nsight systems", "cuda");
    GpuTimeline& gpu = profile.gpu.emplace();
    HONE_RETURN_IF_ERROR(describe_gpu(gpu));
    profile.device = gpu.gpu;
    const bool calls = !trace_.calls.empty();
    const bool graphs = database_.has_table(kGraphTable);
    HONE_TRY(Profile done, profile_of_trace(std::move(trace_), std::move(profile)));
    if (!calls) {
      done.notes.emplace_back("without the calls of the host nothing tells why the GPU waited");
    }
    if (graphs) {
      done.notes.emplace_back(
          "CUDA graphs were traced as a whole: nsys tells their kernels where it traces their "
          "nodes");
    }
    if (gpus_ > 1) {
      done.notes.push_back(str("of ", gpus_, " GPUs that which was busiest, number ", gpu_));
    }
    return done;
  }

  SqliteDatabase database_;
  std::unordered_map<int64_t, std::string> strings_ = {};
  int64_t gpu_ = 0;
  size_t gpus_ = 0;
  GpuTrace trace_ = {};
};

Result<Profile> read_nsight_systems_sqlite(std::string_view bytes, const ImportOptions&) {
  HONE_TRY(SqliteDatabase database, SqliteDatabase::open(bytes));
  return NsysDatabase(std::move(database)).read();
}

}  // namespace

extern const ImporterDef importer_nsight_systems_sqlite = {
    .name = "nsight_systems_sqlite",
    .summary = "databases of Nsight Systems (nsys export, type sqlite)",
    .recognizes = is_sqlite,
    .read = read_nsight_systems_sqlite,
};

}  // namespace hone
