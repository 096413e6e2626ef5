#include "hone/zoo/nas201.h"

#include <algorithm>
#include <array>
#include <optional>

#include "hone/base/text.h"
#include "hone/zoo/builder.h"

namespace hone {
namespace {

constexpr size_t kNas201Nodes = 4;  // The first is the cell's input, the last its result.
constexpr int kNas201Cells = 5;     // Per stage.
constexpr int64_t kNas201Widths[] = {16, 32, 64};
// In the order of LatBench's digits.
constexpr std::array<std::string_view, 5> kNas201Ops = {"none", "skip_connect", "nor_conv_1x1",
                                                        "nor_conv_3x3", "avg_pool_3x3"};

// cell[node - 1][from]: the operator from node `from`.
using Nas201Cell = std::vector<std::vector<std::string_view>>;

std::vector<std::string_view> pieces(std::string_view text, char separator) {
  std::vector<std::string_view> found;
  size_t end = 0;
  while ((end = text.find(separator)) != std::string_view::npos) {
    found.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  found.push_back(text);
  return found;
}

// "|op~0|op~1|" with one operator of each earlier node, or nothing.
std::optional<std::vector<std::string_view>> nas201_edges(std::string_view text, size_t count) {
  if (text.size() < 2 || text.front() != '|' || text.back() != '|') return std::nullopt;
  std::vector<std::string_view> ops;
  for (const std::string_view edge : pieces(text.substr(1, text.size() - 2), '|')) {
    const size_t tilde = edge.rfind('~');
    if (tilde == std::string_view::npos || edge.substr(tilde + 1) != str(ops.size())) {
      return std::nullopt;
    }
    ops.push_back(edge.substr(0, tilde));
    if (std::ranges::find(kNas201Ops, ops.back()) == kNas201Ops.end()) return std::nullopt;
  }
  if (ops.size() != count) return std::nullopt;
  return ops;
}

// "310024": a digit for each operator, as LatBench (SamsungLabs/eagle) has them.
std::optional<Nas201Cell> nas201_digits(std::string_view text) {
  constexpr size_t kDigits = kNas201Nodes * (kNas201Nodes - 1) / 2;
  const bool digits = std::ranges::all_of(
      text, [](char c) { return c >= '0' && c < static_cast<char>('0' + kNas201Ops.size()); });
  if (text.size() != kDigits || !digits) return std::nullopt;
  Nas201Cell cell;
  for (size_t node = 1, at = 0; node < kNas201Nodes; ++node) {
    std::vector<std::string_view>& ops = cell.emplace_back();
    for (size_t from = 0; from < node; ++from) {
      ops.push_back(kNas201Ops[static_cast<size_t>(text[at++] - '0')]);
    }
  }
  return cell;
}

Result<Nas201Cell> parse_nas201(std::string_view text) {
  if (auto cell = nas201_digits(text)) return *std::move(cell);
  Nas201Cell cell;
  const std::vector<std::string_view> nodes = pieces(text, '+');
  for (const std::string_view node : nodes) {
    const auto edges = nas201_edges(node, cell.size() + 1);
    if (!edges) break;
    cell.push_back(*edges);
  }
  if (cell.size() == kNas201Nodes - 1 && nodes.size() == cell.size()) return cell;
  return bad_input("'", text, "' is not a cell of NAS-Bench-201; expected ",
                   "|OP~0|+|OP~0|OP~1|+|OP~0|OP~1|OP~2| with OP one of ", join(kNas201Ops),
                   ", or six digits from 0 to ", kNas201Ops.size() - 1, " for them in that order");
}

class Nas201 {
 public:
  Nas201(Nas201Cell cell, uint64_t seed) : cell_(std::move(cell)), b_("nas201", seed) {}

  Graph build() {
    Value* x = b_.input("input", {1, 3, 32, 32});
    x = b_.batch_norm(b_.conv(x, {.channels = kNas201Widths[0], .kernel = 3}, "stem.0"), "stem.1");
    int number = 0;
    for (const int64_t width : kNas201Widths) {
      if (width != kNas201Widths[0]) x = reduction(x, width, str("cells.", number++));
      for (int i = 0; i < kNas201Cells; ++i) x = cell(x, str("cells.", number++));
    }
    x = b_.activation(b_.batch_norm(x, "lastact.0"), Nonlinearity::Relu, "lastact.1");
    x = b_.flatten(b_.global_average_pool(x, "global_pooling"), "flatten");
    return b_.finish(b_.linear(x, 10, "classifier"), "logits");
  }

 private:
  Value* relu_conv_bn(Value* x, const Conv& conv, const std::string& name) {
    x = b_.activation(x, Nonlinearity::Relu, name + ".0");
    return b_.batch_norm(b_.conv(x, conv, name + ".1"), name + ".2", 1e-5, 0.5);
  }

  // A residual block that halves the resolution; its shortcut is the mean of four and a 1x1.
  Value* reduction(Value* x, int64_t width, const std::string& name) {
    Value* y = relu_conv_bn(x, {.channels = width, .kernel = 3, .stride = 2}, name + ".conv_a");
    y = relu_conv_bn(y, {.channels = width, .kernel = 3}, name + ".conv_b");
    x = b_.average_pool(x, 2, 2, name + ".downsample.0");
    x = b_.conv(x, {.channels = width}, name + ".downsample.1");
    return b_.apply("add", {x, y}, name + ".add");
  }

  // "none" multiplies by zero, as the benchmark's own code does. No framework may leave that out,
  // since what is not a number stays so: whatever only "none" reads is computed, too.
  Value* edge(Value* x, std::string_view op, const std::string& name) {
    const int64_t n = NetworkBuilder::channels(x);
    if (op == "nor_conv_1x1") return relu_conv_bn(x, {.channels = n}, name);
    if (op == "nor_conv_3x3") return relu_conv_bn(x, {.channels = n, .kernel = 3}, name);
    if (op == "avg_pool_3x3") return b_.smooth(x, 3, name);
    return op == "skip_connect" ? x : b_.apply("mul", {x, b_.scalar(0)}, name + ".none");
  }

  // Nodes are the sums of their edges.
  Value* cell(Value* x, const std::string& name) {
    std::vector<Value*> nodes = {x};
    for (const auto& ops : cell_) {
      const std::string node = str(name, ".", nodes.size());
      Value* sum = nullptr;
      for (size_t from = 0; from < ops.size(); ++from) {
        const std::string part = str(node, ".", from);
        Value* y = edge(nodes[from], ops[from], part);
        sum = sum == nullptr ? y : b_.apply("add", {sum, y}, part + ".add");
      }
      nodes.push_back(sum);
    }
    return nodes.back();
  }

  Nas201Cell cell_;
  NetworkBuilder b_;
};

}  // namespace

// xautodl/models/cell_infers/tiny_network.py of D-X-Y/AutoDL-Projects has the skeleton.
Result<Graph> build_nas201(std::string_view cell, uint64_t seed) {
  HONE_TRY(Nas201Cell parsed, parse_nas201(cell));
  return Nas201(std::move(parsed), seed).build();
}

}  // namespace hone
