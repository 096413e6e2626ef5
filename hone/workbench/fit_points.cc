#include "hone/workbench/fit_points.h"

#include <algorithm>
#include <map>
#include <set>

#include "hone/base/peek_file.h"
#include "hone/base/text.h"
#include "hone/workbench/points/csv_points.h"
#include "hone/workbench/points/printed_model.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

const PrintedTimesDef* tool_of(std::string_view text) {
  const auto& tools = all_printed_times();
  const auto found =
      std::ranges::find_if(tools, [&](const auto* tool) { return tool->recognizes(text); });
  return found == tools.end() ? nullptr : *found;
}

std::vector<std::string> shown_names(const std::vector<PrintedTime>& times) {
  std::set<std::string> names;
  for (const PrintedTime& time : times) {
    names.insert(time.network.empty() ? "(not named)" : time.network);
  }
  return {names.begin(), names.end()};
}

void add_notes(const PrintedTimesDef& tool, const std::vector<PrintedTime>& times,
               const std::vector<PrintedTime>& skipped, FitPoints& points) {
  points.notes.push_back(str("latencies are those of ", tool.tool, ": ", tool.taken));
  const auto at_once = std::ranges::count_if(times, [](const auto& t) { return t.at_once > 1; });
  if (at_once > 0) {
    points.notes.push_back(
        str(at_once, " of ", times.size(),
            " with several runs at once, each of which takes longer than alone"));
  }
  if (!skipped.empty()) {
    points.notes.push_back(
        str("skipped ", skipped.size(), " of ", times.size(),
            ", neither a file beside the log nor built in: ", join(shown_names(skipped))));
  }
}

Result<FitPoints> read_printed(const PrintedTimesDef& tool, std::string_view text,
                               const fs::path& file) {
  HONE_TRY(const std::vector<PrintedTime> times, tool.read(text));
  if (times.empty()) {
    return bad_input("no time of ", tool.tool, " in it; expected a line ", tool.expected);
  }
  FitPoints points;
  std::vector<PrintedTime> skipped;
  for (const PrintedTime& time : times) {
    FitPoint point{.model = model_of_printed(time, file.parent_path()),
                   .latency_ms = time.ms,
                   .precision = time.precision,
                   .batch = time.batch,
                   .threads = time.threads,
                   .on_gpu = time.on_gpu,
                   .from = str(file.string(), ": line ", time.line)};
    if (point.model.empty()) {
      skipped.push_back(time);
    } else {
      points.points.push_back(std::move(point));
    }
  }
  if (points.points.empty()) {
    return bad_input("line ", times[0].line, ": expected networks that are files beside the log ",
                     "(.onnx, .tflite) or built in, found ", join(shown_names(times)));
  }
  add_notes(tool, times, skipped, points);
  return points;
}

Result<FitPoints> parse_points(std::string_view text, const fs::path& file) {
  const PrintedTimesDef* tool = looks_like_csv_points(text) ? nullptr : tool_of(text);
  if (tool != nullptr) return read_printed(*tool, text, file);
  HONE_TRY(std::vector<FitPoint> points, read_csv_points(text, file));
  return FitPoints{.points = std::move(points)};
}

}  // namespace

Result<FitPoints> read_fit_points(const fs::path& path) {
  HONE_TRY(const std::string text, read_text(path));
  return parse_points(text, path).in(path.string());
}

Result<std::vector<std::string>> measured_otherwise(const std::vector<FitPoint>& points,
                                                    const Device& device) {
  const bool is_cpu = device.kind == "cpu" || device.kind == "mcu";
  for (const FitPoint& point : points) {
    if (!point.on_gpu || !is_cpu) continue;
    return bad_input(point.from, ": measured on a GPU, and ", device.name, " is a CPU");
  }
  const AnalyticSpec* spec = device.analytic();
  if (spec == nullptr || !spec->membership || !is_cpu) return std::vector<std::string>();
  std::map<int64_t, size_t> by_threads;
  for (const FitPoint& point : points) {
    const bool other = point.threads > 0 && point.threads != spec->membership->threads;
    if (other) by_threads[point.threads] += 1;
  }
  std::vector<std::string> notes;
  for (const auto& [threads, count] : by_threads) {
    notes.push_back(str(count, " of ", points.size(), " measured with ", threads,
                        threads == 1 ? " thread" : " threads", ", taken as they are for ",
                        device.name, ", whose file has ", spec->membership->threads,
                        " (class.threads)"));
  }
  return notes;
}

}  // namespace hone
