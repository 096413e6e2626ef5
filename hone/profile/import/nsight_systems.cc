// Timelines of Nsight Systems: the tables that `nsys stats` prints as CSV. That of the GPU is
// needed; calls of the host and ranges that the program named are read where they stand beside it.

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "hone/base/str.h"
#include "hone/profile/import/evidence.h"
#include "hone/profile/import/gpu_trace.h"
#include "hone/profile/import/importer_def.h"
#include "hone/profile/import/nsight_gpus.h"
#include "hone/profile/import/rows.h"

namespace hone {
namespace {

constexpr double kMostNsysUs = 1e16;
constexpr double kMostCorrelation = 9e15;

// The first column that begins so: their names end in units that the user may choose.
std::optional<Column> column_starting(const Row& header, std::string_view start) {
  for (size_t i = 0; i < header.cells.size(); ++i) {
    if (header.cells[i].starts_with(start)) return Column{header.cells[i], i};
  }
  return std::nullopt;
}

// "ns" of "Start (ns)".
std::string_view unit_of(const Column& column) {
  const std::string_view name = column.name;
  const size_t open = name.rfind('(');
  const size_t close = name.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return "";
  return name.substr(open + 1, close - open - 1);
}

double bytes_in(std::string_view unit) {
  if (unit == "byte" || unit == "B") return 1;
  if (unit == "KB") return 1e3;
  if (unit == "MB") return 1e6;
  return unit == "GB" ? 1e9 : 0;
}

struct TimeColumn {
  Column column;
  double us = 0;  // In one of its unit.
};

Result<TimeColumn> time_column(const Row& header, std::string_view start) {
  const std::optional<Column> column = column_starting(header, start);
  if (!column) return bad_input("line ", header.line, ": no column '", start, "'");
  const double us = us_in(unit_of(*column));
  if (us == 0) {
    return bad_input("line ", header.line, ": column '", column->name,
                     "', expected ns, us, ms or s in brackets");
  }
  return TimeColumn{*column, us};
}

Result<double> time_of(const Row& row, const TimeColumn& time, double most) {
  HONE_TRY(const double value, number_of(row, time.column, most / time.us));
  return value * time.us;
}

// 0 where the column is missing or the cell is empty.
Result<double> number_or_nothing(const Row& row, const std::optional<Column>& column, double most) {
  if (!column || cell_of(row, *column).empty()) return 0.0;
  return number_of(row, *column, most);
}

std::string text_or_nothing(const Row& row, const std::optional<Column>& column) {
  return column ? std::string(cell_of(row, *column)) : "";
}

// What all three tables tell.
struct SpanColumns {
  TimeColumn start, duration;
  Column name;
  std::optional<Column> correlation, thread;
};

Result<SpanColumns> span_columns(const Row& header) {
  SpanColumns columns;
  HONE_TRY(columns.start, time_column(header, "Start ("));
  HONE_TRY(columns.duration, time_column(header, "Duration ("));
  HONE_TRY(columns.name, find_column(header, "Name"));
  columns.correlation = column_starting(header, "Corr");
  for (const char* name : {"Tid", "TID"}) {
    if (!columns.thread) columns.thread = column_if_any(header, name);
  }
  return columns;
}

Status read_span(const Row& row, const SpanColumns& columns, TraceSpan& span) {
  HONE_TRY(span.start, time_of(row, columns.start, kMostNsysUs));
  HONE_TRY(span.us, time_of(row, columns.duration, kMostUs));
  return Done{};
}

// "HtoD, pageable" of "[CUDA memcpy Host-to-Device]" and the kind of the host's memory.
std::string copy_of(const std::string& name, const std::string& from, const std::string& to) {
  const auto says = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  const bool in = says("Host-to-Device") || says("HtoD");
  const bool out = says("Device-to-Host") || says("DtoH");
  if (!in && !out) return "";
  const bool pageable = (in ? from : to) == "Pageable";
  return str(in ? "HtoD" : "DtoH", pageable ? ", pageable" : ", pinned");
}

class NsysReader {
 public:
  Status read_table(const std::vector<Row>& rows) {
    HONE_TRY(const SpanColumns columns, span_columns(rows[0]));
    const bool gpu = column_if_any(rows[0], "GrdX").has_value();
    const bool ranges = column_if_any(rows[0], "RangeId").has_value();
    for (size_t r = 1; r < rows.size(); ++r) {
      if (rows[r].cells.size() < rows[0].cells.size()) {
        return bad_input("line ", rows[r].line, ": ", rows[r].cells.size(), " columns, expected ",
                         rows[0].cells.size(), "; the file may be cut off");
      }
      if (gpu) {
        HONE_RETURN_IF_ERROR(take_work(rows[0], rows[r], columns));
      } else if (ranges) {
        TraceMark mark{{}, std::string(cell_of(rows[r], columns.name))};
        HONE_RETURN_IF_ERROR(read_span(rows[r], columns, mark));
        HONE_TRY(mark.thread, thread_of(rows[r], columns));
        trace_.marks.push_back(std::move(mark));
      } else {
        GpuCall call{{}, std::string(cell_of(rows[r], columns.name))};
        HONE_RETURN_IF_ERROR(read_span(rows[r], columns, call));
        HONE_TRY(call.thread, thread_of(rows[r], columns));
        HONE_TRY(call.correlation, correlation_of(rows[r], columns));
        trace_.calls.push_back(std::move(call));
      }
    }
    return Done{};
  }

  Result<Profile> finished() {
    Profile profile = imported_profile("nsight systems", "cuda");
    GpuTimeline& gpu = profile.gpu.emplace();
    std::string others;
    gpu.gpu = devices_[keep_busiest_gpu(trace_, others)];
    gpu.capability = nsight_capability(gpu.gpu);
    profile.device = gpu.gpu;
    const bool calls = !trace_.calls.empty();
    HONE_TRY(Profile done, profile_of_trace(std::move(trace_), std::move(profile)));
    if (!others.empty()) done.notes.push_back(others);
    if (!calls) {
      done.notes.push_back(
          "without the calls of the host (report cuda_api_trace) nothing tells why the GPU waited");
    }
    return done;
  }

 private:
  static Result<int64_t> thread_of(const Row& row, const SpanColumns& columns) {
    HONE_TRY(const double thread, number_or_nothing(row, columns.thread, kMostCorrelation));
    return static_cast<int64_t>(thread);
  }

  static Result<uint64_t> correlation_of(const Row& row, const SpanColumns& columns) {
    HONE_TRY(const double value, number_or_nothing(row, columns.correlation, kMostCorrelation));
    return static_cast<uint64_t>(value);
  }

  Status take_work(const Row& header, const Row& row, const SpanColumns& columns) {
    GpuWork work{{}, std::string(cell_of(row, columns.name))};
    if (work.name.empty()) return bad_input("line ", row.line, ": no 'Name'");
    HONE_RETURN_IF_ERROR(read_span(row, columns, work));
    HONE_TRY(work.correlation, correlation_of(row, columns));
    work.kernel = !work.name.starts_with("[CUDA");
    if (!work.kernel) work.name = std::string(trimmed(work.name));
    work.copy = copy_of(work.name, text_or_nothing(row, column_if_any(header, "SrcMemKd")),
                        text_or_nothing(row, column_if_any(header, "DstMemKd")));
    HONE_TRY(const double stream,
             number_or_nothing(row, column_if_any(header, "Strm"), kMostCorrelation));
    work.stream = static_cast<int64_t>(stream);
    HONE_RETURN_IF_ERROR(read_bytes(header, row, work));
    HONE_RETURN_IF_ERROR(read_launch(header, row, work));
    work.gpu = take_device(text_or_nothing(row, column_if_any(header, "Device")));
    trace_.works.push_back(std::move(work));
    return Done{};
  }

  // 1 of "NVIDIA H200 (1)".
  int64_t take_device(const std::string& device) {
    const size_t bracket = device.rfind(" (");
    int64_t number = 0;
    if (bracket != std::string::npos) {
      std::from_chars(device.data() + bracket + 2, device.data() + device.size(), number);
    }
    devices_.try_emplace(number, device.substr(0, bracket));
    return number;
  }

  static Status read_bytes(const Row& header, const Row& row, GpuWork& work) {
    const std::optional<Column> column = column_starting(header, "Bytes (");
    const double scale = column ? bytes_in(unit_of(*column)) : 0;
    if (scale == 0) return Done{};
    HONE_TRY(const double amount, number_or_nothing(row, column, kMostCount / scale));
    work.bytes = static_cast<uint64_t>(amount * scale);
    return Done{};
  }

  // How the kernel was launched: blocks, threads of a block, registers.
  static Status read_launch(const Row& header, const Row& row, GpuWork& work) {
    if (!work.kernel) return Done{};
    constexpr double kMostExtent = 1e10;
    const auto add = [&](const char* name, std::initializer_list<const char*> columns) -> Status {
      double all = 1;
      for (const char* column : columns) {
        HONE_TRY(const double extent,
                 number_or_nothing(row, column_if_any(header, column), kMostExtent));
        all *= extent;
      }
      if (all > 0) work.counters.push_back({.name = name, .value = all, .mode = Mode::Exact});
      return Done{};
    };
    HONE_RETURN_IF_ERROR(add("blocks", {"GrdX", "GrdY", "GrdZ"}));
    HONE_RETURN_IF_ERROR(add("threads per block", {"BlkX", "BlkY", "BlkZ"}));
    return add("registers per thread", {"Reg/Trd"});
  }

  GpuTrace trace_;
  std::map<int64_t, std::string> devices_;  // Name by number.
};

bool is_nsys_header(std::string_view line) {
  return line.starts_with("Start (") && line.find("Duration (") != std::string_view::npos &&
         line.find(",Name") != std::string_view::npos;
}

bool recognizes_nsight_systems(std::string_view text) {
  return find_line(text, "Start (") != std::string_view::npos &&
         text.find(",CorrId,GrdX,") != std::string_view::npos;
}

// Tables of several reports stand in one text, each until a line without anything.
Result<Profile> read_nsight_systems(std::string_view text, const ImportOptions&) {
  NsysReader reader;
  const std::vector<Line> lines = lines_of(text);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!is_nsys_header(lines[i].text)) continue;
    size_t end = i;
    while (end < lines.size() && !trimmed(lines[end].text).empty()) ++end;
    const char* from = lines[i].text.data();
    const std::string_view last = lines[end - 1].text;
    const std::string_view table(from, static_cast<size_t>(last.data() + last.size() - from));
    HONE_TRY(const std::vector<Row> rows, read_csv(table, lines[i].number));
    HONE_RETURN_IF_ERROR(reader.read_table(rows));
    i = end;
  }
  return reader.finished();
}

}  // namespace

extern const ImporterDef importer_nsight_systems = {
    .name = "nsight_systems",
    .summary =
        "timelines of Nsight Systems (nsys stats, as CSV: the reports "
        "cuda_gpu_trace, cuda_api_trace and nvtx_pushpop_trace)",
    .recognizes = recognizes_nsight_systems,
    .read = read_nsight_systems,
};

}  // namespace hone
