#include "hone/targets/cortex_m/cortex_m_target.h"

#include <algorithm>

#include "hone/base/progress.h"
#include "hone/targets/analytic/analytic_target.h"
#include "hone/targets/c_code/write_project.h"

namespace hone {
namespace {

constexpr size_t kSelfTests = 2;

// Every value of a byte, in no order.
Tensor noise(const TensorType& type, uint32_t seed) {
  Tensor tensor(type);
  uint32_t state = seed * 2654435761u + 1;
  for (int8_t& value : tensor.mutable_data<int8_t>()) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<int8_t>(state >> 24);
  }
  return tensor;
}

// The floats that bytes stand for.
Tensor as_floats(const Tensor& bytes) {
  const Quantization& quant = *bytes.type().quant;
  Tensor floats(TensorType{DType::F32, bytes.shape()});
  for (size_t i = 0; i < static_cast<size_t>(bytes.elements()); ++i) {
    floats.mutable_data<float>()[i] =
        quant.scale() * static_cast<float>(bytes.data<int8_t>()[i] - quant.zero_point());
  }
  return floats;
}

// What the reference makes of noise. Where the graph has floats around its integers, it is that of
// the integers which were made of Q/DQ pairs.
Result<std::vector<c_code::TestVector>> test_vectors(const Graph& given, const c_code::Plan& plan) {
  const auto floats = [](const Value* value) { return value->type.tensor.dtype == DType::F32; };
  const bool pairs =
      std::ranges::any_of(given.inputs(), floats) || std::ranges::any_of(given.outputs(), floats);
  const Graph& graph = pairs ? plan.graph : given;
  HONE_TRY(const auto reference,
           (*find_target("ref"))->open()->compile(std::move(*graph.clone()), plan.options));
  std::vector<c_code::TestVector> tests(kSelfTests);
  for (size_t t = 0; t < tests.size(); ++t) {
    std::vector<Item> inputs;
    for (size_t i = 0; i < plan.inputs.size(); ++i) {
      const Tensor bytes = noise(plan.inputs[i]->type.tensor, static_cast<uint32_t>(t));
      tests[t].inputs.push_back(bytes);
      inputs.emplace_back(floats(graph.inputs()[i]) ? as_floats(bytes) : bytes);
    }
    HONE_TRY(const std::vector<Item> outputs, reference->run(inputs));
    for (const Item& output : outputs) tests[t].outputs.push_back(output.tensor);
  }
  return tests;
}

// A predicted program that can be written.
class CortexMProgram final : public Program {
 public:
  CortexMProgram(std::unique_ptr<Program> predicted, Graph graph, CompileOptions options,
                 std::string device)
      : predicted_(std::move(predicted)),
        given_(std::move(graph)),
        options_(std::move(options)),
        names_(c_code::project_names(given_, std::move(device))) {}

  std::unique_ptr<Session> open() const override { return predicted_->open(); }
  const Graph& graph() const override { return predicted_->graph(); }
  std::vector<StepInfo> steps() const override { return predicted_->steps(); }
  std::vector<Placement> placements() const override { return predicted_->placements(); }
  std::optional<ModelledRun> modelled() const override { return predicted_->modelled(); }
  std::optional<MemorySummary> memory() const override { return predicted_->memory(); }

  std::vector<std::string> files() const override { return c_code::project_files(names_); }

  Status write(const std::filesystem::path& folder) const override {
    HONE_TRY(const c_code::Plan plan, c_code::make_plan(std::move(*given_.clone()), options_));
    for (const std::string& note : plan.notes) say_on_stderr(note);
    HONE_TRY(const auto tests, test_vectors(given_, plan));
    return c_code::write_project(plan, names_, tests, folder);
  }

 private:
  std::unique_ptr<Program> predicted_;
  Graph given_;
  CompileOptions options_;
  c_code::ProjectNames names_;
};

class CortexMTarget final : public Target {
 public:
  explicit CortexMTarget(const Device& device)
      : device_(device.name), analytic_(make_analytic_target(device)) {}

  Support supports(const Node& node) const override { return analytic_->supports(node); }

  Result<std::unique_ptr<Program>> compile(Graph graph,
                                           const CompileOptions& options) const override {
    std::unique_ptr<Graph> given = graph.clone();
    HONE_TRY(auto predicted, analytic_->compile(std::move(graph), options));
    return {std::make_unique<CortexMProgram>(std::move(predicted), std::move(*given), options,
                                             device_)};
  }

 private:
  std::string device_;
  std::unique_ptr<Target> analytic_;
};

}  // namespace

std::unique_ptr<Target> make_cortex_m_target(const Device& device) {
  return std::make_unique<CortexMTarget>(device);
}

}  // namespace hone
