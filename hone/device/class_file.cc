#include "hone/device/class_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "hone/base/check.h"
#include "hone/base/peek_file.h"
#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/device/catalog_file.h"
#include "hone/device/device_folder.h"
#include "hone/device/toml_quoted.h"
#include "hone/device/toml_text.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

constexpr int64_t kClassSchemaVersion = 1;
constexpr double kMostNs = 1e15;
constexpr double kMostWork = 1e18;

Result<FamilyWork> read_families(const TomlSection& in, std::string_view key, double least,
                                 double most) {
  HONE_TRY(const TomlSection section, in.section(key));
  FamilyWork values = {};
  for (size_t i = 0; i < kFamilyCount; ++i) {
    HONE_TRY(values[i], section.number_in(kKernelFamilies[i], least, most));
  }
  HONE_RETURN_IF_ERROR(section.no_other_keys());
  return values;
}

// Rows of the lower triangle, without the ones of the diagonal.
Result<FamilyMatrix> read_covariance(const TomlSection& in, const FamilyWork& deviations) {
  HONE_TRY(const TomlSection section, in.section("correlation"));
  FamilyMatrix matrix = {};
  for (size_t r = 0; r < kFamilyCount; ++r) {
    matrix[r][r] = deviations[r] * deviations[r];
    if (r == 0) continue;
    HONE_TRY(const std::vector<double> row, section.list(kKernelFamilies[r], -1, 1));
    if (row.size() != r) return section.expected(kKernelFamilies[r], str(r, " numbers"));
    for (size_t c = 0; c < r; ++c) {
      matrix[r][c] = matrix[c][r] = row[c] * deviations[r] * deviations[c];
    }
  }
  HONE_RETURN_IF_ERROR(section.no_other_keys());
  if (!positive_definite(matrix)) return in.wrong("correlation", "no costs can go together so");
  return matrix;
}

Result<std::vector<ClassAccuracy>> read_accuracy(const TomlSection& in) {
  HONE_TRY(const std::vector<TomlSection> sections, in.sections("accuracy"));
  std::vector<ClassAccuracy> list;
  for (const TomlSection& section : sections) {
    ClassAccuracy accuracy;
    constexpr std::string_view kHeldOut[] = {"device", "device and network"};
    HONE_TRY(const std::string held_out, section.one_of("held_out", kHeldOut));
    if (held_out == kHeldOut[1]) accuracy.held_out = HeldOut::DevicesAndNetworks;
    HONE_TRY(const int64_t points, section.count("points", 0, 1 << 20));
    accuracy.points = static_cast<int>(points);
    HONE_TRY(accuracy.planned, section.flag_or("planned", false));
    HONE_TRY(accuracy.predictions, section.count("predictions", 0, int64_t{1} << 40));
    HONE_TRY(accuracy.median_error, section.number("median_error"));
    HONE_TRY(accuracy.p90_error, section.number("p90_error"));
    HONE_TRY(accuracy.held, section.number("held"));
    HONE_TRY(accuracy.half_width, section.number("half_width"));
    HONE_TRY(accuracy.rule.deviations, section.positive("deviations"));
    HONE_TRY(accuracy.rule.floor, section.number("floor"));
    HONE_RETURN_IF_ERROR(section.no_other_keys());
    list.push_back(accuracy);
  }
  return list;
}

Status read_groups(const TomlSection& in, std::map<std::string, FamilyWork>& groups) {
  HONE_TRY(const std::vector<TomlSection> sections, in.sections("group"));
  for (const TomlSection& section : sections) {
    HONE_TRY(const std::string name, section.text("name"));
    HONE_TRY(FamilyWork factors, read_families(section, "factor", 1e-6, 1e6));
    HONE_RETURN_IF_ERROR(section.no_other_keys());
    for (double& factor : factors) factor = std::log(factor);
    groups[name] = factors;
  }
  return Done{};
}

Result<std::vector<ClassNetwork>> read_networks(const TomlSection& in) {
  HONE_TRY(const std::vector<TomlSection> sections, in.sections("network"));
  std::vector<ClassNetwork> networks;
  for (const TomlSection& section : sections) {
    ClassNetwork network;
    HONE_TRY(network.name, section.text("name"));
    HONE_TRY(const double factor, section.number_in("factor", 1e-3, 1e3));
    network.effect.log_factor = std::log(factor);
    HONE_TRY(network.effect.sigma, section.number_in("sigma", 1e-6, 10));
    HONE_TRY(const std::vector<double> work, section.list("work", 0, kMostWork));
    if (work.size() != kFamilyCount) return section.expected("work", str(kFamilyCount, " numbers"));
    std::ranges::copy(work, network.work.begin());
    HONE_RETURN_IF_ERROR(section.no_other_keys());
    networks.push_back(std::move(network));
  }
  return networks;
}

Result<ClassEvidence> read_evidence(const TomlSection& in) {
  HONE_TRY(const TomlSection section, in.section("learned_from"));
  ClassEvidence evidence;
  HONE_TRY(const int64_t devices, section.count("devices", 1, 1 << 20));
  HONE_TRY(const int64_t networks, section.count("networks", 1, 1 << 20));
  HONE_TRY(const int64_t rows, section.count("rows", 1, 1 << 30));
  evidence = {static_cast<int>(devices), static_cast<int>(networks), static_cast<int>(rows)};
  HONE_TRY(evidence.source, section.text("source"));
  HONE_RETURN_IF_ERROR(section.no_other_keys());
  return evidence;
}

Result<DeviceClass> read_class(const TomlSection& in) {
  constexpr std::string_view kPrecisions[] = {"fp32", "fp16", "int8", kAnyPrecision};
  DeviceClass read;
  HONE_TRY([[maybe_unused]] const int64_t version,
           in.count("schema_version", kClassSchemaVersion, kClassSchemaVersion));
  HONE_TRY(read.name, in.text("name"));
  HONE_TRY(read.summary, in.text("summary"));
  HONE_TRY(read.precision, in.one_of("precision", kPrecisions));
  HONE_TRY(read.peak, in.one_of("peak", kPrecisions));
  if (in.has("runtime")) {
    HONE_TRY(const std::string runtime, in.one_of("runtime", kRuntimes));
    read.runtime = runtime_named(runtime);
  }
  HONE_TRY(read.sigma, in.positive("sigma"));
  if (in.has("unseen")) {
    HONE_TRY(read.unseen, in.words_of("unseen", kKernelFamilies, "family"));
  }
  HONE_TRY(read.typical_gops, in.positive("typical_gops"));
  if (in.has("peaks_gops")) {
    HONE_TRY(const TomlSection peaks, in.section("peaks_gops"));
    read.peaks.emplace();
    HONE_TRY(read.peaks->least_gops, peaks.positive("least"));
    HONE_TRY(read.peaks->most_gops, peaks.positive("most"));
    HONE_RETURN_IF_ERROR(peaks.no_other_keys());
  }
  HONE_TRY(read.peak_loss, read_families(in, "peak_loss", -3, 3));
  // Files of before had more.
  for (double& power : read.peak_loss) power = std::min(power, kMostPeakLoss);
  HONE_TRY(read.thread_loss, read_families(in, "thread_loss", -3, 3));
  HONE_TRY(const FamilyWork costs, read_families(in, "cost_ns", 1e-9, kMostNs));
  for (size_t i = 0; i < kFamilyCount; ++i) read.costs.log_ns[i] = std::log(costs[i]);
  HONE_TRY(const FamilyWork deviations, read_families(in, "deviation", 1e-3, 10));
  HONE_TRY(read.costs.covariance, read_covariance(in, deviations));
  if (in.has("group")) HONE_RETURN_IF_ERROR(read_groups(in, read.groups));
  if (in.has("network")) {
    HONE_TRY(read.networks, read_networks(in));
  }
  HONE_TRY(read.evidence, read_evidence(in));
  if (in.has("accuracy")) {
    HONE_TRY(read.accuracy, read_accuracy(in));
  }
  HONE_RETURN_IF_ERROR(in.no_other_keys());
  return read;
}

std::string families_text(std::string_view key, std::string_view comment,
                          const FamilyWork& values) {
  std::string text = fmt::format("\n# {}\n[{}]\n", comment, key);
  for (size_t i = 0; i < kFamilyCount; ++i) {
    text += fmt::format("{} = {:.6g}\n", kKernelFamilies[i], values[i]);
  }
  return text;
}

std::string correlation_text(const FamilyMatrix& covariance, const FamilyWork& deviations) {
  std::string text = "\n# Of the logarithms, with those of the families before.\n[correlation]\n";
  for (size_t r = 1; r < kFamilyCount; ++r) {
    std::vector<std::string> row;
    for (size_t c = 0; c < r; ++c) {
      row.push_back(fmt::format("{:.4f}", covariance[r][c] / (deviations[r] * deviations[c])));
    }
    text += fmt::format("{} = [{}]\n", kKernelFamilies[r], join(row));
  }
  return text;
}

std::string networks_text(const std::vector<ClassNetwork>& networks) {
  std::string text =
      networks.empty()
          ? ""
          : "\n# Networks with the factor on their times and the deviation that stays.\n";
  for (const ClassNetwork& network : networks) {
    std::vector<std::string> work;
    for (const double value : network.work) work.push_back(fmt::format("{:.6g}", value));
    text += fmt::format("[[network]]\nname = {}\nfactor = {:.4f}\nsigma = {:.4f}\nwork = [{}]\n",
                        toml_quoted(network.name), std::exp(network.effect.log_factor),
                        network.effect.sigma, join(work));
  }
  return text;
}

// Devices of the catalog ask a class for a precision.
Status takes_the_place(const DeviceClass& own, const DeviceClass& built_in) {
  if (own.precision == built_in.precision) return Done{};
  return bad_input(own.path, ": precision is ", own.precision, ", and that of the built-in class ",
                   own.name, " is ", built_in.precision);
}

// Those that `hone learn` left. A file that cannot be read is named once and passed over.
void add_learned_classes(std::vector<DeviceClass>& classes) {
  const Result<fs::path> folder = class_folder();
  std::error_code ignored;
  if (!folder.ok() || !fs::is_directory(*folder, ignored)) return;
  std::set<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder, ignored)) {
    if (entry.path().extension() == ".toml") files.insert(entry.path());
  }
  for (const fs::path& file : files) {
    const Result<std::string> text = read_text(file);
    Result<DeviceClass> read = text.ok() ? parse_class(*text, file.string()) : text.error();
    if (!read.ok()) {
      say_on_stderr(str(read.error().message, ": this class of devices is not used"));
      continue;
    }
    read->path = file.string();
    const auto built_in = std::ranges::find(classes, read->name, &DeviceClass::name);
    if (built_in == classes.end()) {
      classes.push_back(*std::move(read));
    } else if (const Status same = takes_the_place(*read, *built_in); same.ok()) {
      read->is_in_front = true;
      *built_in = *std::move(read);
    } else {
      say_on_stderr(str(same.error().message, ": this class of devices is not used"));
    }
  }
}

std::vector<DeviceClass> parse_built_in() {
  std::vector<DeviceClass> classes;
  for (const EmbeddedFile& file : class_files()) {
    Result<DeviceClass> read = parse_class(file.text, std::string(file.name));
    HONE_CHECK(read.ok(), read.error().message);
    HONE_CHECK(str(read->name, ".toml") == file.name, file.name, " names ", read->name);
    classes.push_back(*std::move(read));
  }
  return classes;
}

const std::vector<DeviceClass>& built_in_classes() {
  static const std::vector<DeviceClass> kClasses = parse_built_in();
  return kClasses;
}

std::vector<DeviceClass> all_classes() {
  std::vector<DeviceClass> classes = built_in_classes();
  add_learned_classes(classes);
  return classes;
}

}  // namespace

Result<DeviceClass> parse_class(std::string_view text, const std::string& file) {
  return parse_toml(text, file, read_class);
}

std::string class_text(const DeviceClass& written) {
  FamilyWork costs = {}, deviations = {};
  for (size_t i = 0; i < kFamilyCount; ++i) {
    costs[i] = std::exp(written.costs.log_ns[i]);
    deviations[i] = std::sqrt(written.costs.covariance[i][i]);
  }
  std::string text = fmt::format(
      "schema_version = {}\nname = {}\nsummary = {}\nprecision = \"{}\"\n"
      "# Costs are those of a device whose peak in this precision is 1 GOP/s.\npeak = \"{}\"\n"
      "# Geometric mean of the peaks of those it was learned from.\ntypical_gops = {:.6g}\n"
      "# Of log(measured / predicted) when the costs of a device are known, for networks that are "
      "not among those below.\nsigma = {:.4g}\n",
      kClassSchemaVersion, toml_quoted(written.name), toml_quoted(written.summary),
      written.precision, written.peak, written.typical_gops, written.sigma);
  if (written.runtime != Runtime::Compiled) {
    text += fmt::format("# What its devices make of a network before it runs.\nruntime = \"{}\"\n",
                        name_of(written.runtime));
  }
  if (!written.unseen.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : written.unseen) names.push_back(str("\"", name, "\""));
    text += str("# Families that no network had which it was learned from.\nunseen = [",
                join(names), "]\n");
  }
  if (written.peaks) {
    text += fmt::format("\n[peaks_gops]\nleast = {:.6g}\nmost = {:.6g}\n",
                        written.peaks->least_gops, written.peaks->most_gops);
  }
  text += families_text(
      "cost_ns", "Of a multiply-add, an element, a step, a run; of a device of 1 GOP/s.", costs);
  text += families_text("deviation", "Of the logarithms, from device to device.", deviations);
  text += correlation_text(written.costs.covariance, deviations);
  text += families_text("peak_loss",
                        "Costs grow by how much higher the peak is than typical to this power, "
                        "beside what the peak says.",
                        written.peak_loss);
  text += families_text("thread_loss",
                        "Costs grow by threads to this power, beside what the peak of all says.",
                        written.thread_loss);
  for (const auto& [group, shifts] : written.groups) {
    FamilyWork factors = {};
    for (size_t i = 0; i < kFamilyCount; ++i) factors[i] = std::exp(shifts[i]);
    text += fmt::format("\n[[group]]\nname = {}\n", toml_quoted(group));
    text += families_text("group.factor", "On the costs, of devices that are alike.", factors);
  }
  text += networks_text(written.networks);
  const std::string few = few_devices_text(written);
  text += few.empty() ? "" : str("\n# ", few, ".");
  text += fmt::format("\n[learned_from]\ndevices = {}\nnetworks = {}\nrows = {}\nsource = {}\n",
                      written.evidence.devices, written.evidence.networks, written.evidence.rows,
                      toml_quoted(written.evidence.source));
  for (const ClassAccuracy& accuracy : written.accuracy) {
    text += fmt::format(
        "\n[[accuracy]]\nheld_out = \"{}\"\npoints = {}\n{}predictions = {}\nmedian_error = "
        "{:.3f}\np90_error = {:.3f}\n"
        "held = {:.3f}\nhalf_width = {:.3f}\ndeviations = {:.3f}\nfloor = {:.4f}\n",
        name_of(accuracy.held_out), accuracy.points, accuracy.planned ? "planned = true\n" : "",
        accuracy.predictions, accuracy.median_error, accuracy.p90_error, accuracy.held,
        accuracy.half_width, accuracy.rule.deviations, accuracy.rule.floor);
  }
  return text;
}

const std::vector<DeviceClass>& class_catalog() {
  static const std::vector<DeviceClass> kClasses = all_classes();
  return kClasses;
}

const DeviceClass* built_in_class(std::string_view name) {
  const std::vector<DeviceClass>& classes = built_in_classes();
  const auto found = std::ranges::find(classes, name, &DeviceClass::name);
  return found == classes.end() ? nullptr : &*found;
}

Result<const DeviceClass*> find_class(std::string_view name) {
  std::vector<std::string> names;
  for (const DeviceClass& found : class_catalog()) {
    if (found.name == name) return &found;
    names.push_back(found.name);
  }
  return bad_input("no class of devices '", name, "'", did_you_mean(name, names),
                   "; there are: ", join(names));
}

}  // namespace hone
