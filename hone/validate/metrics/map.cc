// Mean average precision of a detector whose outputs are boxes, scores and classes behind its
// non-maximum suppression. targets.npy is [N, M, 5]: class number and the four numbers of a box, in
// the order and unit in which the model gives boxes; rows of class -1 fill up samples with fewer.
//
// Two forms of outputs are known. TFLite's and most ONNX models': one output [K, 4] of boxes, and
// two of K elements, of which the integers, or those whose name says so, or else the former are the
// classes and the others the scores; one of a single element says how many of the K count. Or one
// output [K, 6] of rows box, score, class.

#include <algorithm>

#include "hone/validate/average_precision.h"
#include "hone/validate/metric_def.h"
#include "hone/validate/real_values.h"

namespace hone {
namespace {

Status check_map(const DataSet& data, const Graph& graph) {
  if (!data.targets) return bad_input("metric map needs targets.npy, [N, M, 5]");
  const Shape& shape = data.targets->type().shape;
  if (shape.size() != 3 || shape[2] != 5) {
    return bad_input(data.targets->name(), ": is ", data.targets->type(),
                     ", expected [N, M, 5] of class and box");
  }
  if (graph.outputs().size() == 2) {
    return bad_input(
        "metric map needs boxes, classes and scores, or one output of [K, 6]; the "
        "model has 2 outputs");
  }
  return Done{};
}

bool named(const Value& output, std::initializer_list<std::string_view> words) {
  std::string name = output.name;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(
      words, [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

// Which output is what.
struct Roles {
  size_t boxes = 0;
  size_t types = 0;
  size_t scores = 0;
  std::optional<size_t> count;
};

Result<Roles> roles_of(const Graph& graph, const std::vector<Tensor>& outputs) {
  Roles roles;
  const auto is_boxes = [](const Tensor& t) { return t.rank() >= 2 && t.shape().back() == 4; };
  const auto found = std::ranges::find_if(outputs, is_boxes);
  if (found == outputs.end()) return bad_input("no output is [K, 4] or [K, 6], which boxes are");
  roles.boxes = static_cast<size_t>(found - outputs.begin());
  const int64_t boxes = found->elements() / 4;
  std::vector<size_t> lists;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (o == roles.boxes) continue;
    const bool single = outputs[o].elements() == 1 && outputs.size() > 3;
    if (outputs[o].elements() == boxes && (!single || lists.size() < 2)) {
      lists.push_back(o);
    } else if (single) {
      roles.count = o;
    }
  }
  if (lists.size() != 2) {
    return bad_input("expected two outputs of ", boxes, " elements, classes and scores, got ",
                     lists.size());
  }
  const auto says_types = [&](size_t o) {
    return kInteger.contains(outputs[o].dtype()) || named(*graph.outputs()[o], {"class", "label"});
  };
  const auto says_scores = [&](size_t o) {
    return named(*graph.outputs()[o], {"score", "conf", "prob"});
  };
  const bool swapped = !says_types(lists[0]) && (says_types(lists[1]) || says_scores(lists[0]));
  roles.types = lists[swapped ? 1 : 0];
  roles.scores = lists[swapped ? 0 : 1];
  return roles;
}

void add_rows(const Tensor& output, size_t sample, std::vector<Detection>& all) {
  const std::vector<double> v = real_values(output);
  for (size_t i = 0; i + 6 <= v.size(); i += 6) {
    all.push_back({.sample = sample,
                   .type = static_cast<int64_t>(v[i + 5]),
                   .score = v[i + 4],
                   .box = {v[i], v[i + 1], v[i + 2], v[i + 3]}});
  }
}

Status add_detections(const Evaluation& in, size_t sample, std::vector<Detection>& all) {
  const std::vector<Tensor>& outputs = in.predictions.samples[sample];
  if (outputs.size() == 1 && outputs[0].rank() >= 2 && outputs[0].shape().back() == 6) {
    add_rows(outputs[0], sample, all);
    return Done{};
  }
  HONE_TRY(const Roles roles, roles_of(in.graph, outputs));
  const std::vector<double> boxes = real_values(outputs[roles.boxes]),
                            types = real_values(outputs[roles.types]),
                            scores = real_values(outputs[roles.scores]);
  size_t count = scores.size();
  if (roles.count) {
    const double told = real_values(outputs[*roles.count])[0];
    count = std::min(count, static_cast<size_t>(std::max(0.0, told)));
  }
  for (size_t i = 0; i < count; ++i) {
    const double* box = boxes.data() + 4 * i;
    all.push_back({.sample = sample,
                   .type = static_cast<int64_t>(types[i]),
                   .score = scores[i],
                   .box = {box[0], box[1], box[2], box[3]}});
  }
  return Done{};
}

struct Boxes {
  std::vector<Detection> found;
  std::vector<WantedBox> wanted;
};

Result<Boxes> collect(const Evaluation& in) {
  Boxes boxes;
  for (size_t s = 0; s < in.samples(); ++s) {
    HONE_RETURN_IF_ERROR(add_detections(in, s, boxes.found).in(str("sample ", s)));
    HONE_TRY(const Tensor row, in.data.targets->row(static_cast<int64_t>(s)));
    const std::vector<double> v = to_doubles(row);
    for (size_t i = 0; i + 5 <= v.size(); i += 5) {
      if (v[i] < 0) continue;
      boxes.wanted.push_back(
          {s, static_cast<int64_t>(v[i]), {v[i + 1], v[i + 2], v[i + 3], v[i + 4]}});
    }
  }
  // A score that is no number cannot be sorted, and is sure of nothing.
  std::erase_if(boxes.found, [](const Detection& d) { return !(d.score == d.score); });
  if (boxes.wanted.empty()) return bad_input("targets.npy: holds no box");
  return boxes;
}

Result<MetricDef::Value> evaluate_at_half(const Evaluation& in) {
  HONE_TRY(const Boxes boxes, collect(in));
  return MetricDef::Value{mean_average_precision(boxes.found, boxes.wanted, 0.5)};
}

Result<MetricDef::Value> evaluate_mean(const Evaluation& in) {
  HONE_TRY(const Boxes boxes, collect(in));
  double sum = 0;
  for (int step = 0; step < 10; ++step) {
    sum += mean_average_precision(boxes.found, boxes.wanted, 0.5 + 0.05 * step);
  }
  return MetricDef::Value{sum / 10};
}

}  // namespace

extern const MetricDef metric_map = {
    .name = "map",
    .summary =
        "mean average precision of a detector at overlaps 0.5, 0.55 .. 0.95, as COCO has "
        "it; targets.npy is [N, M, 5] of class and box, class -1 where there is none",
    .check = check_map,
    .evaluate = evaluate_mean,
};

extern const MetricDef metric_map50 = {
    .name = "map50",
    .summary = "the same at overlap 0.5 alone",
    .check = check_map,
    .evaluate = evaluate_at_half,
};

}  // namespace hone
