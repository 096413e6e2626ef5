// Drops the strings that are stop words and changes the case of the rest. When none is left, gives
// one empty string. Case is changed and ignored for ASCII letters only; others are refused.

#include <algorithm>
#include <set>

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

char to_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

std::string mapped(std::string text, char (*change)(char)) {
  std::ranges::transform(text, text.begin(), change);
  return text;
}

bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

Result<std::vector<ValueType>> infer_string_normalizer(const InferContext& in) {
  const std::string& action = in.text("case_change_action");
  if (action != "NONE" && action != "LOWER" && action != "UPPER") {
    return bad_input("case_change_action is '", action, "', expected NONE, LOWER or UPPER");
  }
  // These languages have their own cases of ASCII letters.
  for (const char* language : {"tr", "az", "lt"}) {
    if (in.text("locale").starts_with(language))
      return unsupported("locale '", in.text("locale"), "'");
  }
  TensorType type = in.type(0);
  if (!type.ranked) return std::vector<ValueType>{type};
  const bool fits =
      type.rank() == 1 || (type.rank() == 2 && (type.shape[0] == 1 || type.shape[0] == kUnknown));
  if (!fits) return bad_input("input is ", type, ", expected [C] or [1,C]");
  type.shape.back() = kUnknown;
  return std::vector<ValueType>{type};
}

Status eval_string_normalizer(EvalContext& in) {
  const std::string& action = in.text("case_change_action");
  const bool exact = in.integer("is_case_sensitive") != 0;
  std::set<std::string> stopwords;
  for (const std::string& word : in.attr<Strings>("stopwords")) {
    if (!exact && !is_ascii(word))
      return unsupported("stop words beyond ASCII without regard to case");
    stopwords.insert(exact ? word : mapped(word, to_lower));
  }
  Strings kept;
  for (const std::string& text : in.in(0).data<std::string>()) {
    const bool needs_case = action != "NONE" || (!exact && !stopwords.empty());
    if (needs_case && !is_ascii(text)) return unsupported("the case of letters beyond ASCII");
    if (stopwords.contains(exact ? text : mapped(text, to_lower))) continue;
    kept.push_back(action == "LOWER"   ? mapped(text, to_lower)
                   : action == "UPPER" ? mapped(text, to_upper)
                                       : text);
  }
  if (kept.empty()) kept.emplace_back();
  Shape shape = in.in(0).shape();
  shape.back() = static_cast<int64_t>(kept.size());
  in.set(0, Tensor::of(std::move(shape), kept));
  return Done{};
}

}  // namespace

extern const OpDef op_string_normalizer = {
    .name = "string_normalizer",
    .summary = "Strings without stop words, in one case.",
    .inputs = {{"x", kText}},
    .attrs = {{"case_change_action", std::string("NONE")},
              {"is_case_sensitive", int64_t{0}},
              {"locale", std::string()},
              {"stopwords", Strings()}},
    .infer = infer_string_normalizer,
    .eval = eval_string_normalizer,
    .onnx = {{"StringNormalizer"}},
    .cases = {"(string[2]{\"Ab\" \"b\"}) case_change_action=\"UPPER\""},
};

}  // namespace hone
