#include "hone/library/inside.h"
#include "hone/library/state.h"
#include "hone/targets/target.h"
#include "hone/workbench/profile_model.h"

namespace hone::v1 {

struct Session::State {
  std::shared_ptr<const Program> program;
  std::unique_ptr<hone::Session> session;
};

namespace {

Result<CompileOptions> compile_options(const RunOptions& options) {
  CompileOptions compile;
  compile.threads = options.threads;
  constexpr int kMostThreads = 1024;
  if (options.threads < 0 || options.threads > kMostThreads) {
    return bad_input(options.threads, " threads, expected 0 to ", kMostThreads);
  }
  if (options.precision.empty()) return compile;
  for (const Precision precision :
       {Precision::F32, Precision::F16, Precision::BF16, Precision::TF32}) {
    if (options.precision != name_of(precision)) continue;
    compile.precision = precision;
    compile.named_precision = true;
    return compile;
  }
  return bad_input("no precision '", options.precision, "' to run in");
}

// The elements as an input of a graph, where they lie.
Result<Item> item_of(const Tensor& given, const Value& input) {
  TensorType type = input.type.tensor;
  TensorType of_given{dtype_named(given.type()).value_or(DType::Undefined), given.shape()};
  const bool extents =
      type.ranked && std::ranges::equal(type.shape, given.shape(), [](int64_t want, int64_t have) {
        return want == kUnknown || want == have;
      });
  if (type.dtype != of_given.dtype || (type.ranked && !extents)) {
    return bad_input("input '", input.name, "' is ", text_of(type), ", given was ",
                     text_of(of_given));
  }
  of_given.quant = type.quant;
  HONE_TRY(hone::Tensor tensor,
           hone::Tensor::view(of_given, SharedBytes{given.owner(), given.bytes()}));
  return Item(std::move(tensor));
}

Result<std::vector<Item>> items_of(const std::vector<Tensor>& given, const Graph& graph) {
  const auto inputs = graph.inputs();
  if (given.size() != inputs.size()) {
    return bad_input(given.size(), " inputs, the model has ", inputs.size());
  }
  std::vector<Item> items;
  for (size_t i = 0; i < given.size(); ++i) {
    HONE_TRY(Item item, item_of(given[i], *inputs[i]));
    items.push_back(std::move(item));
  }
  return items;
}

Tensor tensor_of(const Item& item) {
  if (!item.is_tensor()) throw Error(Fault::Unsupported, "an output is a sequence of tensors");
  auto kept = std::make_shared<const hone::Tensor>(item.tensor);
  return Tensor::view(name_of(kept->dtype()), kept->shape(), kept->bytes().data(), kept);
}

}  // namespace

Session Model::session(const RunOptions& options) const {
  hone::Model copy;
  copy.name = state_->model.name;
  copy.keeps_types = state_->model.keeps_types;
  copy.graph = std::move(*state_->model.graph.clone());
  ProfileRequest request{.target = options.target, .compile = unwrap(compile_options(options))};
  unwrap(check_is_here(options.target));
  auto state = std::make_shared<Session::State>();
  state->program = unwrap(compile_model(copy, request).in(copy.name)).program;
  state->session = state->program->open();
  return Session(std::move(state));
}

Session Session::another() const {
  auto state = std::make_shared<State>();
  state->program = state_->program;
  state->session = state->program->open();
  return Session(std::move(state));
}

std::vector<Tensor> Session::run(const std::vector<Tensor>& inputs) {
  const std::vector<Item> items = unwrap(items_of(inputs, state_->program->graph()));
  std::vector<Item> outputs;
  unwrap(state_->session->run(items, outputs));
  std::vector<Tensor> tensors;
  for (const Item& output : outputs) tensors.push_back(tensor_of(output));
  return tensors;
}

}  // namespace hone::v1
