// Splits each string at a delimiter, or at runs of blanks when there is none, at most `maxsplit`
// times.
//   "a,,b" at ","    -> "a" "" "b"
//   " a  b c " twice -> "a" "b" "c "
// Gives the pieces, padded with empty strings to the longest list, and their numbers.

#include <algorithm>
#include <limits>

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

constexpr std::string_view kBlanks = " \t\n\r\v\f";
// One long list pads all others: a small input can ask for any amount of memory.
constexpr size_t kMostPieces = size_t{1} << 24;

Result<std::vector<ValueType>> infer_string_split(const InferContext& in) {
  TensorType pieces = in.type(0);
  pieces.dtype = DType::String;
  if (pieces.ranked) pieces.shape.push_back(kUnknown);
  TensorType counts = in.type(0);
  counts.dtype = DType::I64;
  return std::vector<ValueType>{pieces, counts};
}

Strings split_at_blanks(std::string_view text, int64_t most) {
  Strings pieces;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return pieces;
    const size_t end = static_cast<int64_t>(pieces.size()) == most
                           ? text.size()
                           : std::min(text.find_first_of(kBlanks), text.size());
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

Strings split_at_delimiter(std::string_view text, std::string_view delimiter, int64_t most) {
  Strings pieces;
  size_t end = 0;
  while (static_cast<int64_t>(pieces.size()) < most &&
         (end = text.find(delimiter)) != std::string_view::npos) {
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(end + delimiter.size());
  }
  pieces.emplace_back(text);
  return pieces;
}

Status eval_string_split(EvalContext& in) {
  const std::string& delimiter = in.text("delimiter");
  const bool limited = in.has_attr("maxsplit") && in.integer("maxsplit") >= 0;
  const int64_t most = limited ? in.integer("maxsplit") : std::numeric_limits<int64_t>::max();
  std::vector<Strings> all;
  size_t longest = 0;
  for (const std::string& text : in.in(0).data<std::string>()) {
    all.push_back(delimiter.empty() ? split_at_blanks(text, most)
                                    : split_at_delimiter(text, delimiter, most));
    longest = std::max(longest, all.back().size());
  }
  if (longest > 0 && all.size() > kMostPieces / longest) {
    return unsupported("gives ", all.size(), " lists of ", longest, " pieces, more than ",
                       kMostPieces);
  }
  Shape shape = in.in(0).shape();
  shape.push_back(static_cast<int64_t>(longest));
  const TensorType type{DType::String, std::move(shape)};
  HONE_RETURN_IF_ERROR(type.check());
  Tensor pieces(type);
  const auto y = pieces.mutable_data<std::string>();
  for (size_t i = 0; i < all.size(); ++i)
    std::ranges::copy(all[i], y.begin() + static_cast<std::ptrdiff_t>(i * longest));
  in.set(0, std::move(pieces));
  if (in.outputs() < 2) return Done{};
  const auto counts = in.out(1).mutable_data<int64_t>();
  for (size_t i = 0; i < all.size(); ++i) counts[i] = static_cast<int64_t>(all[i].size());
  return Done{};
}

}  // namespace

extern const OpDef op_string_split = {
    .name = "string_split",
    .summary = "Strings split at a delimiter.",
    .inputs = {{"x", kText}},
    .attrs = {{"delimiter", std::string()}, {"maxsplit", int64_t{0}, kAbsent}},
    .max_outputs = 2,
    .infer = infer_string_split,
    .eval = eval_string_split,
    .onnx = {{"StringSplit"}},
    .cases = {"?, ? = (string[1]{\"a b\"})"},
};

}  // namespace hone
