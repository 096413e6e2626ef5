#include "hone/cli/next_commands.h"

#include <algorithm>

#include "hone/analyze/remedy_def.h"
#include "hone/base/str.h"
#include "hone/cli/command_def.h"
#include "hone/cli/shell_words.h"
#include "hone/report/read_document.h"
#include "hone/report/results/bench_run.h"
#include "hone/report/results/fit_json.h"
#include "hone/report/results/inspection.h"
#include "hone/workbench/compare_devices.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

// As one word of a shell: a name from a file that nobody checked is no command, and no option of one.
std::string name_word(const std::string& text) {
  return text.starts_with("-") ? in_shell_quotes(text) : shell_word(text);
}

// What makes another run one of the same thing: flags that go along into every command that has them.
struct Carried {
  std::string_view flag;
  bool reading;  // Of the model as it is read, which a file that Hone wrote has in itself.
  bool many = false;
};
constexpr Carried kCarried[] = {
    {.flag = "--shapes", .reading = true, .many = true},
    {.flag = "--op", .reading = true, .many = true},
    {.flag = "--ops", .reading = true, .many = true},
    {.flag = "--batch", .reading = true},
    {.flag = "--inputs", .reading = true, .many = true},
    {.flag = "--seed", .reading = true},
    {.flag = "--threads", .reading = false},
    {.flag = "--precision", .reading = false},
    {.flag = "--disable-pass", .reading = false, .many = true},
    {.flag = "--arithmetic", .reading = false},
    {.flag = "--hybrid", .reading = false},
};

bool takes(std::string_view command, std::string_view flag) {
  static const std::vector<CommandText> commands = command_texts();
  const auto found = std::ranges::find_if(
      commands, [&](const CommandText& text) { return text.command->name == command; });
  return found != commands.end() &&
         std::ranges::any_of(found->options, [&](const OptionText& option) {
           return std::ranges::find(option.names, flag) != option.names.end();
         });
}

bool names_flag(std::string_view words, std::string_view flag) {
  return str(" ", words, " ").find(str(" ", flag, " ")) != std::string::npos;
}

// The command that made a result, and what of it others need.
class Made {
 public:
  Made(const Provenance& from, std::string target)
      : words_(words_of_shell_line(from.command)), target_(std::move(target)) {
    for (const auto& [key, value] : from.model) {
      if (key == "name") model_ = name_word(path_of(value));
    }
  }

  bool has_model() const { return !model_.empty(); }
  const std::string& model() const { return model_; }
  const std::string& target() const { return target_; }
  // " -d npu"; nothing for the target that is taken without it.
  std::string on(const std::string& device) const {
    return device.empty() || device == "cpu" ? "" : " -d " + name_word(device);
  }
  // " --shapes x:1x3x96x96": what `command` is to be told of the model, but what `said` tells already.
  std::string reading(std::string_view command, std::string_view said = {}) const {
    return carried(command, said, true);
  }
  // " --threads 2 --precision fp16": how it ran.
  std::string running(std::string_view command, std::string_view said = {}) const {
    return carried(command, said, false);
  }
  // "hone diagnose model.onnx -d npu --threads 2 -t 30s" with " -t 30s".
  std::string command(std::string_view name, const std::string& flags = {}) const {
    return str("hone ", name, " ", model_, on(target_), reading(name, flags), running(name, flags),
               flags);
  }
  // A file of the command line by its name, or another word, for a shell.
  std::string word(const std::string& name) const { return name_word(path_of(name)); }
  std::string data() const { return behind("--data"); }
  // What results are judged on: samples that nothing was calibrated on, where there are such.
  std::string judging_data() const {
    const std::string kept_back = behind("--validation-data");
    return kept_back.empty() ? data() : kept_back;
  }
  // What the command had behind a flag; empty where it did not have it.
  std::string behind(std::string_view flag) const {
    const std::vector<std::string> values = values_of({.flag = flag, .reading = false});
    return values.empty() ? "" : name_word(values[0]);
  }
  // "fp16": of floats, where the command asked for one.
  std::string precision() const {
    if (const std::string named = behind("--precision"); !named.empty()) return named;
    for (const std::string_view flag : {"-d", "--device"}) {
      const std::string device = behind(flag);
      if (device.empty()) continue;
      const Result<AskedDevice> asked = asked_device(device);
      const bool of_floats = asked.ok() && !asked->precision.empty() && asked->precision != "int8";
      if (of_floats) return name_word(asked->precision);
    }
    return "";
  }

 private:
  // The file as it was given: result files hold its name alone.
  std::string path_of(const std::string& name) const {
    for (const std::string& word : words_) {
      if (word.ends_with("/" + name)) return word;
    }
    return name;
  }
  // Those that were given with it, as "--flag VALUE..." or "--flag=VALUE".
  std::vector<std::string> values_of(const Carried& carried) const {
    std::vector<std::string> values;
    for (size_t i = 0; i < words_.size(); ++i) {
      const std::string& word = words_[i];
      if (word.starts_with(str(carried.flag, "="))) {
        values.push_back(word.substr(carried.flag.size() + 1));
      }
      if (word != carried.flag) continue;
      const size_t most = carried.many ? words_.size() : 1;
      for (size_t n = 1; n <= most && i + n < words_.size(); ++n) {
        const std::string& value = words_[i + n];
        // The model may come last, behind any number of values.
        if (n > 1 && (value.starts_with("-") || name_word(value) == model_)) break;
        values.push_back(value);
      }
    }
    return values;
  }
  std::string carried(std::string_view command, std::string_view said, bool reading) const {
    std::string flags;
    for (const Carried& one : kCarried) {
      if (one.reading != reading || names_flag(said, one.flag) || !takes(command, one.flag)) {
        continue;
      }
      if (one.flag == "--precision") {
        if (!precision().empty()) flags += " --precision " + precision();
        continue;
      }
      const std::vector<std::string> values = values_of(one);
      if (!values.empty()) flags += str(" ", one.flag);
      for (const std::string& value : values) flags += " " + name_word(value);
    }
    return flags;
  }

  std::vector<std::string> words_;
  std::string model_;
  std::string target_;
};

// A word that stands for what Hone does not know: such a line is no command yet.
bool has_placeholder(const std::string& command) {
  constexpr std::string_view kPlaces[] = {"MODEL", "DIR",        "FILE",
                                          "NAME",  "EXPRESSION", "1x3x224x224"};
  return std::ranges::any_of(
      kPlaces, [&](std::string_view place) { return command.find(place) != std::string::npos; });
}

// The first `place` as a word of the command becomes `by`.
void put(std::string& command, std::string_view place, const std::string& by) {
  const size_t at = command.find(str(" ", place));
  if (at != std::string::npos && !by.empty()) command.replace(at + 1, place.size(), by);
}

// What `hone optimize` needs leave for to do something about a finding; none where it can do nothing.
std::optional<std::string> leave_to_optimize(const std::string& rule) {
  std::optional<std::string> flags;
  for (const RemedyDef* remedy : all_remedies()) {
    if (!remedy->answers(rule)) continue;
    const std::string needed = str(remedy->approximate ? " --allow-approximation" : "",
                                   remedy->changes_io ? " --allow-io-change" : "");
    if (!flags || needed.size() < flags->size()) flags = needed;
  }
  return flags;
}

std::string optimize_command(const Made& made, const std::string& flags) {
  return made.command("optimize", flags + " -o optimized.onnx");
}

// What a finding says in flags, or in words with a place for the model, as a whole command; it may
// still have places for what nobody told.
std::string spoken_command(const ReportFinding& finding, const Made& made) {
  std::string command = finding.command;
  if (command.starts_with("--allow-")) return optimize_command(made, " " + command);
  if (command.starts_with("-")) return made.command("profile", " " + command);
  const bool of_model = names_flag(command, "MODEL");
  put(command, "MODEL", made.model());
  put(command, "DIR", made.data());
  const std::vector<std::string> words = words_of_shell_line(command);
  if (!of_model || words.size() < 2 || words[0] != "hone") return command;
  return command + made.reading(words[1], command);
}

// Where no command is whole, what to do instead is said in words.
void complete(ReportFinding& finding, const Made& made) {
  const std::string spoken = spoken_command(finding, made);
  finding.command.clear();
  if (!spoken.empty()) {
    if (!has_placeholder(spoken)) {
      finding.command = spoken;
    } else {
      finding.advice = str("with what only you know in its place: ", spoken);
    }
    return;
  }
  const std::optional<std::string> leave = leave_to_optimize(finding.rule);
  if (finding.option && made.data().empty()) {
    finding.advice =
        "`hone optimize` tries it, and keeps it where accuracy stays, once it has samples: "
        "--data takes a folder of arrays or of pictures";
  } else if (finding.option) {
    finding.command = optimize_command(made, str(leave.value_or(""), " --data ", made.data()));
  } else if (leave) {
    finding.command = optimize_command(made, *leave);
  } else if (finding.bound == name_of(Bound::Measurement)) {
    finding.command = made.command("diagnose", " -t 30s");
  } else {
    finding.advice = "no command does this: it is for whoever makes the model, or runs it";
  }
}

void add_to_run(ReportRun& run) {
  const Made made(run.from, run.profile.target);
  if (!made.has_model() || run.profile.tool != "hone") return;
  for (ReportFinding& finding : run.findings) complete(finding, made);
  if (!run.diagnosed && run.findings.empty() && run.compared.after_ms == 0) {
    run.next = {
        {"Why it takes that long, and what would help:", made.command("diagnose")},
        {"Make it faster and keep its answers:", made.command("optimize") + " -o optimized.onnx"}};
  }
}

// What was written is to be held to what it was made of; without samples nobody can. `as_fast` are
// the flags of its run that the file does not say: " --threads 1 --precision fp16".
std::vector<NextStep> after_writing(const std::string& file, const Made& made,
                                    const std::string& as_fast) {
  const auto how = [&](std::string_view command) {
    return str(made.on(made.target()), made.running(command, as_fast + " --precision "), as_fast);
  };
  const NextStep left = {"See what is left of its time:",
                         str("hone diagnose ", file, how("diagnose"))};
  if (made.data().empty()) {
    return {{str("Hold it to ", made.model(),
                 " on samples of yours before it is used: `hone validate` takes them by --data, a "
                 "folder of arrays or of pictures."),
             ""},
            left};
  }
  return {{"Hold it to the model it was made of:",
           str("hone validate ", file, " --reference ", made.model(), " --data ",
               made.judging_data(), " --max-drop 1pt", how("validate"), made.reading("validate"))},
          left};
}

// Threads where their number was a remedy, and the precision of floats.
std::string run_flags_of(const ReportRun& after, const ReportRun& before) {
  std::string flags;
  const int threads = after.profile.threads;
  if (threads > 0 && threads != before.profile.threads) flags += str(" --threads ", threads);
  const std::string& precision = after.profile.precision;
  const bool asked = !precision.empty() && precision != "fp32" && precision != "int8";
  return asked ? str(flags, " --precision ", precision) : flags;
}

void add_to_optimized(ReportRun& after, const ReportRun& before) {
  const Made made(after.from, after.profile.target);
  after.next = after_writing(name_word(after.outcome->file), made, run_flags_of(after, before));
}

std::string text_in(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

std::vector<NextStep> after_quantization(const Json& results, const Made& made) {
  if (text_in(results, "file").empty()) return {};
  const std::string precision = made.precision();
  return after_writing(name_word(text_in(results, "file")), made,
                       precision.empty() ? "" : " --precision " + precision);
}

// A built-in network by its name with its precision, which needs no file.
bool is_built_in(const std::string& model) {
  return model.starts_with("zoo:") || model.starts_with("op:");
}

// " -d jetson-nano --precision fp16": as a compared device ran, for another command.
std::string compared_on(std::string_view command, const DeviceFigures& figures, const Made& made) {
  const Result<AskedDevice> asked = asked_device(figures.device);
  if (!asked.ok()) return made.on(figures.device) + made.running(command);
  const std::string precision =
      asked->precision.empty() ? made.behind("--precision") : name_word(asked->precision);
  const bool of_floats = !precision.empty() && precision != "int8" && precision != "fp32" &&
                         takes(command, "--precision");
  return str(made.on(asked->name), made.running(command, " --precision "),
             of_floats ? " --precision " + precision : "");
}

// What holds a compared model back where it ran. What was quantized for that is to be written first.
std::vector<NextStep> after_compared(const DeviceFigures& figures, const std::string& model,
                                     const Made& made) {
  const std::string what = str("What holds ", model, " back on ", figures.device, ":");
  const std::string how = compared_on("diagnose", figures, made);
  const std::string read = made.reading("diagnose");
  const bool quantized = figures.model.find(", quantized") != std::string::npos;
  if (!quantized) return {{what, str("hone diagnose ", model, how, read)}};
  if (is_built_in(model)) return {{what, str("hone diagnose ", model, ":int8", how, read)}};
  if (!made.data().empty()) {
    return {
        {str("Write it in int8, as it ran on ", figures.device, ":"),
         str("hone quantize ", model, " --data ", made.data(),
             compared_on("quantize", figures, made), made.reading("quantize"), " -o int8.onnx")},
        {"What holds that back there:", str("hone diagnose int8.onnx", how)}};
  }
  return {{str("On ", figures.device, " a quantized ", model,
               " was timed: `hone quantize` writes one once it has samples (--data), and `hone "
               "diagnose` of that file tells what holds it back."),
           ""}};
}

// The fastest of those that ran; null where none did.
const DeviceFigures* fastest(const DeviceComparison& comparison) {
  const DeviceFigures* best = nullptr;
  for (const DeviceFigures& device : comparison.devices) {
    const Metric* waited = device.waited();
    if (waited == nullptr || !waited->value) continue;
    if (best == nullptr || *waited->value < *best->waited()->value) best = &device;
  }
  return best;
}

// Of the models on the first device; null where none runs there.
const DeviceComparison* fastest_model(const ModelComparison& comparison) {
  const DeviceComparison* best = nullptr;
  double least = 0;
  for (const DeviceComparison& model : comparison.models) {
    const Metric* latency = model.devices[0].typical();
    if (latency == nullptr || !latency->value) continue;
    if (best != nullptr && *latency->value >= least) continue;
    best = &model;
    least = *latency->value;
  }
  return best;
}

// Of the model that is taken on the first device, or is the fastest there.
std::vector<NextStep> after_models(const Json& results, const Made& made) {
  const Result<ModelComparison> comparison = models_from_json(results);
  if (!comparison.ok() || comparison->devices.empty()) return {};
  const ModelRanking& ranking = comparison->devices[0];
  const auto taken = std::ranges::find(
      comparison->models, ranking.choice ? ranking.choice->take : "", &DeviceComparison::model);
  const DeviceComparison* best =
      taken != comparison->models.end() ? &*taken : fastest_model(*comparison);
  if (best == nullptr) return {};
  return after_compared(best->devices[0], made.word(best->model), made);
}

std::vector<NextStep> after_comparison(const Json& results, const Made& made) {
  const Result<DeviceComparison> comparison = comparison_from_json(results);
  const DeviceFigures* best = comparison.ok() ? fastest(*comparison) : nullptr;
  return best == nullptr ? std::vector<NextStep>{} : after_compared(*best, made.model(), made);
}

std::vector<NextStep> after_validation(const Json& results, const Made& made) {
  const NextStep faster = {"What would make it faster:", made.command("diagnose")};
  const std::string reference = text_in(results, "reference");
  if (reference.empty()) return {faster};
  if (results.contains("layers")) {
    return {{"See in the network where it differs, with this result:",
             made.command("profile", " --json profile.json")},
            faster};
  }
  if (made.data().empty()) return {faster};
  const std::string given = made.behind("--reference");
  return {
      {"Which layers differ from the reference:",
       made.command("validate", str(" --reference ", given.empty() ? made.word(reference) : given,
                                    " --data ", made.data(), " --layers"))},
      faster};
}

// Surely; one alone takes the longest, too.
bool any_faster(const BenchRun& run, const BenchedNetwork& longest) {
  return run.networks.size() == 1 ||
         std::ranges::any_of(run.networks, [&](const BenchedNetwork& network) {
           return network.result && network.result->latency.value &&
                  surely_faster(*network.result, *longest.result);
         });
}

// Of the network that takes the longest.
std::vector<NextStep> after_bench(const Json& results, const Made& made) {
  const Result<BenchRun> run = bench_from_json(results);
  if (!run.ok()) return {};
  const BenchedNetwork* longest = nullptr;
  for (const BenchedNetwork& network : run->networks) {
    if (!network.result || !network.result->latency.value) continue;
    const bool longer =
        longest == nullptr || *network.result->latency.value > *longest->result->latency.value;
    if (longer) longest = &network;
  }
  if (longest == nullptr || !any_faster(*run, *longest)) return {};
  const std::string& precision = longest->result->precision;
  const bool quantized = precision.starts_with("int8") && is_built_in(longest->model) &&
                         !longest->model.ends_with(":int8");
  const bool floats = precision == "fp16" || precision == "bf16";
  return {
      {str("Why ", longest->model, " takes the longest:"),
       str("hone diagnose ", made.word(longest->model), quantized ? ":int8" : "",
           made.on(made.target()), made.reading("diagnose"),
           made.running("diagnose", " --precision "), floats ? " --precision " + precision : "")}};
}

// A device's own file is asked for by its path, one of the catalog by its name.
std::vector<NextStep> after_fit(const Json& results, const Made& made) {
  const Result<FittedDevice> fit = fit_from_json(results);
  if (!fit.ok() || fit->points.empty()) return {};
  const bool own_file = !made.behind("-o").empty();
  const std::string device = own_file ? text_in(results, "path") : fit->device.name;
  if (device.empty()) return {};
  return {{"What the fitted device says of a network, layer by layer:",
           str("hone profile ", made.word(fit->points[0].measured.model), made.on(device))}};
}

std::vector<NextStep> after_listening(const Json& results, const Made& made) {
  if (!made.has_model() || made.behind("--config").empty()) return {};
  return {{"Write the program that listens:",
           str("hone stream ", made.model(), " --config ", made.behind("--config"),
               made.on(text_in(results, "device")), " -o program")}};
}

// "x:1x3x?x?" of inputs whose extents a run has to be told; one sample is taken where only their number
// is open.
std::string open_shapes(const Json& results) {
  std::string shapes;
  const Result<Inspection> inspection = inspection_from_json(results);
  if (!inspection.ok()) return shapes;
  for (const InspectedValue& input : inspection->inputs) {
    if (input.shape.empty()) continue;
    std::vector<std::string> extents;
    for (const int64_t extent : input.shape) extents.push_back(extent < 0 ? "?" : str(extent));
    if (extents[0] == "?") extents[0] = "1";
    if (std::ranges::count(extents, "?") == 0) continue;
    shapes += " " + name_word(str(input.name, ":", join(extents, "x")));
  }
  return shapes;
}

std::vector<NextStep> after_inspection(const Json& results, const Made& made) {
  const std::string shapes = open_shapes(results);
  if (shapes.empty()) return {{"Where its time goes on this machine:", made.command("profile")}};
  return {{str("Where its time goes on this machine, with extents in place of each ?: ",
               made.command("profile", " --shapes" + shapes)),
           ""}};
}

std::vector<NextStep> steps_after(const std::string& kind, const Json& results,
                                  const Provenance& from) {
  const Made made(from, text_in(results, "target"));
  if (kind == "listening_power") return after_listening(results, made);
  if (kind == "bench") return after_bench(results, made);
  if (kind == "fit") return after_fit(results, made);
  if (kind == "model_comparison") return after_models(results, made);
  if (!made.has_model()) return {};
  if (kind == "quantization") return after_quantization(results, made);
  if (kind == "comparison") return after_comparison(results, made);
  if (kind == "validation") return after_validation(results, made);
  if (kind == "inspection") return after_inspection(results, made);
  if (kind == "placement") {
    return {
        {"What holds it back there:", made.command("diagnose")},
        {"What it takes on other devices:",
         str("hone compare ", made.model(), " -d ", name_word("cpu," + text_in(results, "target")),
             made.reading("compare"), made.running("compare"))}};
  }
  return {};
}

}  // namespace

void add_next_commands(const Json& results, Document& document) {
  document.next = steps_after(text_in(results, "kind"), results, document.from);
}

void add_next_commands(const std::vector<ReportInput>& inputs, Report& report) {
  for (ReportRun& run : report.runs) {
    add_to_run(run);
    if (run.outcome && !run.outcome->file.empty()) add_to_optimized(run, report.runs[run.base]);
  }
  auto document = report.documents.begin();
  for (const ReportInput& input : inputs) {
    const std::string kind = kind_of_result(input.document);
    if (!has_document(kind)) continue;
    document->next = steps_after(kind, input.document["results"], document->from);
    ++document;
  }
}

}  // namespace hone
