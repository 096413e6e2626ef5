#include "hone/ops/op_case.h"

#include <algorithm>
#include <random>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/ops/infer_types.h"

namespace hone {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

bool opens(char c) {
  return c == '(' || c == '[' || c == '<' || c == '{';
}
bool closes(char c) {
  return c == ')' || c == ']' || c == '>' || c == '}';
}

// What is between the commas that no bracket holds.
std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    const bool ends = i == list.size() || (list[i] == ',' && depth == 0);
    if (ends) {
      if (const auto part = trimmed(list.substr(begin, i - begin)); !part.empty()) {
        parts.push_back(part);
      }
      begin = i + 1;
      continue;
    }
    if (opens(list[i])) ++depth;
    if (closes(list[i])) --depth;
  }
  return parts;
}

// Behind the bracket that closes the first one.
size_t end_of_brackets(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (opens(text[i])) ++depth;
    if (closes(text[i]) && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

int64_t elements_of(std::string_view type) {
  const size_t begin = type.find('[') + 1;
  int64_t elements = 1;
  for (const std::string_view extent :
       parts_of(type.substr(begin, type.find(']', begin) - begin))) {
    elements *= std::strtoll(std::string(extent).c_str(), nullptr, 10);
  }
  return elements;
}

// Between -2 and 2, or small integers; those of a type without a sign are not negative.
std::string literal_of(std::string_view type, std::mt19937& random) {
  const bool reals = type.starts_with('f') || type.starts_with("bf");
  const bool signless = type.starts_with('u');
  std::string text = str(type, "{");
  for (int64_t i = 0; i < elements_of(type); ++i) {
    const int drawn = static_cast<int>(random() % 33) - 16;
    if (reals) {
      text += str(drawn / 8.0, " ");
    } else if (type.starts_with("bool")) {
      text += drawn > 0 ? "true " : "false ";
    } else {
      text += str(signless ? std::abs(drawn) : drawn, " ");
    }
  }
  return text + "}";
}

struct Split {
  std::string_view results;
  std::string_view operands;
  std::string_view attrs;
};

Result<Split> split_case(std::string_view text) {
  Split split;
  if (const size_t equals = text.find(" = ("); !text.starts_with('(')) {
    if (equals == std::string_view::npos) return bad_input("expected TYPES = (...) or (...)");
    split.results = text.substr(0, equals);
    text.remove_prefix(equals + 3);
  }
  const size_t end = end_of_brackets(text);
  if (end == std::string_view::npos) return bad_input("a bracket is not closed");
  split.operands = text.substr(1, end - 2);
  split.attrs = text.substr(end);
  return split;
}

}  // namespace

Result<Graph> graph_of_case(std::string_view op, std::string_view text) {
  HONE_TRY(const Split split, split_case(text));
  std::mt19937 random(1);
  std::vector<std::string> inputs, operands, results, outputs;
  for (const std::string_view part : parts_of(split.operands)) {
    constexpr std::string_view kConst = "const ";
    const bool is_type = part != "_" && part.find('{') == std::string_view::npos;
    if (part.starts_with(kConst)) {
      operands.push_back(literal_of(part.substr(kConst.size()), random));
    } else if (is_type) {
      inputs.push_back(str("%x", inputs.size(), ": ", part));
      operands.push_back(str("%x", inputs.size() - 1));
    } else {
      operands.emplace_back(part);
    }
  }
  for (const std::string_view type : parts_of(split.results.empty() ? "?" : split.results)) {
    outputs.push_back(str("%y", outputs.size()));
    results.push_back(type == "?" ? outputs.back() : str(outputs.back(), ": ", type));
  }
  HONE_TRY(Graph graph,
           parse_graph(str("graph(", join(inputs), ") -> (", join(outputs), ") {\n", join(results),
                           " = ", op, "(", join(operands), ")", split.attrs, "\n}\n")));
  HONE_TRY(const InferredTypes inferred, infer_types(graph));
  if (!inferred.unsupported.empty()) return unsupported(inferred.unsupported[0].reason);
  return graph;
}

}  // namespace hone
