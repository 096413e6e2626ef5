// Whether the whole of each string matches a regular expression in RE2's syntax.

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/ops/text/regex.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_regex_full_match(const InferContext& in) {
  HONE_RETURN_IF_ERROR(Regex::compile(in.text("pattern")));
  TensorType type = in.type(0);
  type.dtype = DType::Bool;
  return std::vector<ValueType>{type};
}

Status eval_regex_full_match(EvalContext& in) {
  HONE_TRY(const Regex regex, Regex::compile(in.text("pattern")));
  const auto x = in.in(0).data<std::string>();
  const auto y = in.out().mutable_data<bool>();
  for (size_t i = 0; i < x.size(); ++i) {
    HONE_TRY(y[i], regex.matches_all_of(x[i]));
  }
  return Done{};
}

}  // namespace

extern const OpDef op_regex_full_match = {
    .name = "regex_full_match",
    .summary = "Whether each string as a whole matches a regular expression.",
    .inputs = {{"x", kText}},
    .attrs = {{"pattern", std::string(), kRequired}},
    .infer = infer_regex_full_match,
    .eval = eval_regex_full_match,
    .onnx = {{"RegexFullMatch"}},
    .cases = {"(string[2]{\"ab\" \"b\"}) pattern=\"a.\""},
};

}  // namespace hone
