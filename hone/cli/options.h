// Options that several commands share, spelled and explained once.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/cli/command_def.h"
#include "hone/cli/flags.h"
#include "hone/workbench/break_even.h"
#include "hone/workbench/workbench.h"

namespace hone {

using Json = nlohmann::ordered_json;

// MODEL, --shapes, --op and --ops.
struct ModelOptions {
  std::string model;
  std::vector<std::string> shapes;
  std::vector<std::string> ops;
  std::vector<std::string> op_files;
  int batch = 0;             // 0: as the model has it.
  bool one_of_many = false;  // Shapes are of inputs that this model has, or another.

  void declare(Flags& flags);
  // All but MODEL, for commands that take several; see `of`.
  void declare_reading(Flags& flags);
  // --batch, for commands that run the model on inputs of their own.
  void declare_batch(Flags& flags);
  // The same for another model.
  ModelOptions of(const std::string& spec) const;
  // Operators that the target's device lists have a meaning, too; --op decides before --ops.
  Result<Model> open(const std::string& target = "cpu") const;

 private:
  Result<Model> open_as_given(const std::string& target) const;
};

// A graph has the name that its file's writer gave it, often "main": a program that is handed on has that
// of the model's file.
void name_by_file(Model& model);

inline constexpr std::string_view kOperatorModel = "op:";

// The same model for a batch: an operator by its name, a network by the first extent of each input.
BatchedModel batched_model(const ModelOptions& reading, const Graph& graph);

// --json FILE, and the envelope of every result file.
struct JsonOutput {
  std::string path;

  void declare(Flags& flags);
  bool wanted() const { return !path.empty(); }
  // True when standard output is for JSON alone.
  bool to_stdout() const { return path == "-"; }
  // Writes {schema_version, tool, command, ..., results}; `model` may be null.
  Status write(const CommandContext& context, const Model* model, const std::string& model_spec,
               Json results) const;
  // With `about` in place of the model: {{"models", [...]}}.
  Status write(const CommandContext& context, Json about, Json results) const;
};

// What a result file says of a model: name, format, version, producer, sha256 and bytes of its file.
Result<Json> about_model(const Model& model, const std::string& spec);

void declare_target(Flags& flags, std::string& target);
// --tune-duration.
void declare_tuning(Flags& flags, double& seconds);

// Where and how to run: -d, --threads, --precision, --disable-pass, --arithmetic, --hybrid.
struct TargetOptions {
  std::string target = "cpu";
  int threads = 0;
  std::string precision = {};  // Empty: fp32, or what a predicted device's users run.
  std::vector<std::string> disabled_passes;
  std::string arithmetic = "auto";
  std::string hybrid = "integer";
  double tune_seconds = 30;

  // `arithmetics` are those that a command knows besides the targets'.
  void declare(Flags& flags, const std::vector<std::string>& arithmetics = {});
  Result<CompileOptions> resolve() const;
  // As many as were asked for, or as there are.
  int used_threads() const;
  // For the result file.
  Json to_json() const;
};

// How a model is run so: " --threads 1 --precision bf16".
std::string run_flags(const CompileOptions& options);

// "name:file.npy" pairs; with a single input the name may be left out.
Result<std::map<std::string, std::string>> parse_input_files(const std::vector<std::string>& given,
                                                             const Graph& graph);

}  // namespace hone
