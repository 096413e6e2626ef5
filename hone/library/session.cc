#include <algorithm>
#include <list>

#include "hone/library/inside.h"
#include "hone/library/programs.h"
#include "hone/library/state.h"
#include "hone/targets/target.h"

namespace hone::v1 {

struct Session::State {
  struct Open {
    std::shared_ptr<const Program> program;
    std::unique_ptr<hone::Session> session;
  };

  explicit State(std::shared_ptr<Programs> of) : programs(std::move(of)) {
    if (programs->only()) session_of(programs->only());
  }

  // Memory for the program; of those that ran longest ago there is none any more.
  hone::Session& session_of(const std::shared_ptr<const Program>& program) {
    const auto found = std::ranges::find(opened, program, &Open::program);
    if (found == opened.end()) {
      opened.push_front({program, program->open()});
      if (opened.size() > Programs::kMost) opened.pop_back();
    } else {
      opened.splice(opened.begin(), opened, found);
    }
    return *opened.front().session;
  }

  const std::shared_ptr<Programs> programs;
  std::list<Open> opened = {};
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
  ProfileRequest request{.target = options.target, .compile = unwrap(compile_options(options))};
  unwrap(check_is_here(options.target));
  return Session(
      std::make_shared<Session::State>(unwrap(Programs::make(state_, std::move(request)))));
}

Session Session::another() const {
  return Session(std::make_shared<State>(state_->programs));
}

std::vector<Tensor> Session::run(const std::vector<Tensor>& inputs) {
  const std::vector<Item> items = unwrap(items_of(inputs, state_->programs->interface()));
  const std::shared_ptr<const Program> program = unwrap(state_->programs->find(items));
  std::vector<Item> outputs;
  unwrap(state_->session_of(program).run(items, outputs));
  std::vector<Tensor> tensors;
  for (const Item& output : outputs) tensors.push_back(tensor_of(output));
  return tensors;
}

}  // namespace hone::v1
