#include "hone/validate/conformance.h"

#include <algorithm>

#include "hone/base/parallel.h"
#include "hone/base/peek_file.h"
#include "hone/base/progress.h"
#include "hone/model/load.h"
#include "hone/model/onnx_check.h"
#include "hone/model/save.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/compare.h"
#include "hone/wire/onnx.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

using Outcome = ConformanceCase::Outcome;

// The limits of ONNX's own test runner, but never below one step of the type: bfloat16 has 8 bits,
// and the recorded values were cut, where the specification rounds.
constexpr double kRelative = 1e-3;
constexpr double kRelativeBfloat16 = 0x1p-7;
constexpr double kAbsolute = 1e-7;

Status compare_tensors(const Tensor& actual, const Tensor& expected) {
  const Difference difference = compare(actual, expected);
  if (difference.equal()) return Done{};
  const bool floats = (kFloat | kFloat8).contains(expected.dtype());
  const double relative = expected.dtype() == DType::BF16 ? kRelativeBfloat16 : kRelative;
  if (difference.comparable && floats && all_close(actual, expected, relative, kAbsolute)) {
    return Done{};
  }
  return bad_input(difference.what);
}

Status compare_items(const Item& actual, const Item& expected) {
  if (actual.kind != expected.kind || actual.sequence.size() != expected.sequence.size()) {
    return bad_input("is of another kind or length than expected");
  }
  if (expected.is_tensor()) return compare_tensors(actual.tensor, expected.tensor);
  for (size_t i = 0; i < expected.sequence.size(); ++i) {
    HONE_RETURN_IF_ERROR(
        compare_tensors(actual.sequence[i], expected.sequence[i]).in(str("element ", i)));
  }
  return Done{};
}

// input_0.pb, input_1.pb, ... or the same for outputs, as many as there are files.
Result<std::vector<Item>> read_items(const fs::path& folder, const std::string& prefix,
                                     const std::vector<OnnxValueInfo>& infos) {
  std::vector<Item> items;
  for (size_t i = 0; i < infos.size(); ++i) {
    const fs::path path = folder / str(prefix, "_", i, ".pb");
    HONE_TRY(const bool exists, file_exists(path));
    if (!exists) break;
    HONE_TRY(Item item, read_onnx_item(path, infos[i].type.value_or(OnnxType{})));
    items.push_back(std::move(item));
  }
  return items;
}

// Some recorded inputs contradict the shape that their model declares; ONNX's runner feeds them all
// the same, so here the data decides.
Status trust_recorded_shapes(const fs::path& folder, OnnxModel& file) {
  HONE_TRY(const std::vector<Item> inputs, read_items(folder, "input", file.graph.inputs));
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto& type = file.graph.inputs[i].type;
    if (!inputs[i].is_tensor() || !type || !type->shape) continue;
    const Shape& recorded = inputs[i].tensor.shape();
    bool fits = recorded.size() == type->shape->size();
    for (size_t axis = 0; fits && axis < recorded.size(); ++axis) {
      const int64_t declared = (*type->shape)[axis].value;
      fits = declared == kUnknown || declared == recorded[axis];
    }
    if (fits) continue;
    type->shape.emplace();
    for (const int64_t extent : recorded) type->shape->push_back({extent, ""});
  }
  return Done{};
}

Status run_data_set(const fs::path& folder, const OnnxModel& file, const Program& program) {
  HONE_TRY(std::vector<Item> inputs, read_items(folder, "input", file.graph.inputs));
  HONE_TRY(const std::vector<Item> expected, read_items(folder, "output", file.graph.outputs));
  if (expected.empty()) return bad_input("the folder holds no expected output");
  HONE_TRY(const std::vector<Item> actual, program.run(std::move(inputs)));
  for (size_t i = 0; i < expected.size(); ++i) {
    HONE_RETURN_IF_ERROR(compare_items(actual[i], expected[i])
                             .in(str("output ", i, " '", file.graph.outputs[i].name, "'")));
  }
  return Done{};
}

bool is_random(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node* node) {
    const OpDef* op = find_op(node->op);
    return op != nullptr && op->random;
  });
}

Status refuse_unsupported(const Model& model) {
  if (model.unsupported.empty()) return Done{};
  const UnsupportedNode& first = model.unsupported[0];
  return unsupported("node '", first.node->name, "': ", first.reason);
}

// What the model is after it was written and read again. What could be read but not be written is
// unsupported; what was written but cannot be read is a failure.
Result<Model> written_and_read(const Model& model) {
  HONE_TRY(const OnnxModel exported, export_onnx(model.graph));
  const Status right = check_onnx(exported);
  if (!right.ok()) return bad_input("read back: ", right.error().message);
  HONE_TRY(const std::string bytes, write_onnx_bytes(exported));
  const auto file = read_onnx_bytes(std::as_bytes(std::span(bytes)), "");
  if (!file.ok()) return bad_input("read back: ", file.error().message);
  auto again = import_onnx(*file);
  if (!again.ok()) return bad_input("imported again: ", again.error().message);
  const Status status = refuse_unsupported(*again);
  if (!status.ok()) return bad_input("imported again: ", status.error().message);
  return again;
}

Status run_case(const fs::path& folder, const Target& target, bool round_trip) {
  HONE_TRY(OnnxModel file, read_onnx(folder / "model.onnx"));
  HONE_RETURN_IF_ERROR(trust_recorded_shapes(folder / "test_data_set_0", file));
  HONE_TRY(Model model, import_onnx(file));
  HONE_RETURN_IF_ERROR(refuse_unsupported(model));
  if (round_trip) {
    HONE_TRY(model, written_and_read(model));
  }
  const bool random = is_random(model.graph);
  HONE_TRY(const std::unique_ptr<Program> program,
           target.compile(std::move(model.graph), {.threads = 1}));
  if (random) return unsupported("the output is random: nothing to compare with");
  for (int i = 0;; ++i) {
    const fs::path data_set = folder / str("test_data_set_", i);
    HONE_TRY(const bool exists, file_exists(data_set));
    if (!exists) {
      if (i == 0) return bad_input("the folder has no test_data_set_0");
      return Done{};
    }
    HONE_RETURN_IF_ERROR(run_data_set(data_set, file, *program));
  }
}

Outcome outcome_of(const Status& status) {
  if (status.ok()) return Outcome::Passed;
  return status.error().kind == ErrorKind::Unsupported ? Outcome::Unsupported : Outcome::Failed;
}

Result<std::vector<fs::path>> find_cases(const fs::path& folder, const std::string& filter) {
  std::error_code error;
  std::vector<fs::path> cases;
  if (fs::exists(folder / "model.onnx", error)) cases.push_back(folder);
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;  // Of a folder that may not be searched.
    if (fs::exists(it->path() / "model.onnx", ignored)) cases.push_back(it->path());
  }
  if (error) return bad_input(folder.string(), ": ", error.message());
  std::erase_if(cases, [&](const fs::path& path) {
    return path.filename().string().find(filter) == std::string::npos;
  });
  if (cases.empty()) {
    return bad_input(folder.string(), ": no folder with a model.onnx",
                     filter.empty() ? "" : " whose name contains '", filter,
                     filter.empty() ? "" : "'");
  }
  std::ranges::sort(cases);
  return cases;
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Passed:
      return "passed";
    case Outcome::Failed:
      return "failed";
    case Outcome::Unsupported:
      break;
  }
  return "unsupported";
}

int ConformanceResult::count(Outcome outcome) const {
  return static_cast<int>(std::ranges::count(cases, outcome, &ConformanceCase::outcome));
}

Result<ConformanceResult> run_conformance(const fs::path& folder, const Target& target,
                                          const ConformanceOptions& options) {
  HONE_TRY(const std::vector<fs::path> folders, find_cases(folder, options.filter));
  ConformanceResult result;
  result.cases.resize(folders.size());
  Progress progress("conformance", folders.size());
  parallel_for(folders.size(), options.threads, [&](size_t i) {
    const Status status = run_case(folders[i], target, options.round_trip);
    std::string name = folders[i].lexically_relative(folder).string();
    if (name == ".") name = folders[i].filename().string();
    result.cases[i] = {name, outcome_of(status), status.ok() ? "" : status.error().message};
    progress.step();
  });
  return result;
}

}  // namespace hone
