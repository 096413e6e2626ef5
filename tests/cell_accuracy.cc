// cell_accuracy NAS201.csv: how well the order of NAS-Bench-201's cells by latency is predicted, as
// the table of docs/accuracy.md. A device has the costs of its class, learned from the others of it,
// and a few points; the other cells are predicted.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <numeric>
#include <random>

#include "hone/base/peek_file.h"
#include "hone/base/text.h"
#include "hone/device/class_file.h"
#include "hone/device/plan_points.h"
#include "hone/profile/import/rows.h"
#include "hone/targets/analytic/device_program.h"
#include "hone/targets/analytic/predict.h"
#include "hone/targets/devices.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

struct TimedColumn {
  std::string_view column;
  std::string_view device;  // In the catalog.
};
constexpr TimedColumn kTimed[] = {
    {"lat_ms_pixel2", "pixel-2"},
    {"lat_ms_silver_4114", "xeon-silver-4114"},
    {"lat_ms_1080ti_1", "gtx-1080-ti"},
    {"lat_ms_titanx_1", "titan-x"},
};
constexpr size_t kCellsApart = 32;  // Of those that a class is learned from, as scripts/learn does.
constexpr size_t kMeasured = 10;
constexpr int kRandomDraws = 20;
constexpr size_t kFolds = 10;

struct Cells {
  std::vector<std::string> names;
  std::vector<FamilyWork> work;
  std::vector<double> macs;
  std::map<std::string_view, std::vector<double>> ms;  // By column.
};

Result<Cells> read_cells(const std::string& path) {
  HONE_TRY(const std::string text, read_text(path));
  HONE_TRY(const std::vector<Row> rows, read_csv(text));
  HONE_TRY(const Column arch, find_column(rows.at(0), "arch"));
  Cells cells;
  for (size_t r = 1; r < rows.size(); ++r) {
    cells.names.emplace_back(cell_of(rows[r], arch));
    HONE_TRY(Graph graph, build_network(str("nas201:", cells.names.back())));
    HONE_TRY(const DeviceProgram program,
             device_program(std::move(graph), {.runtime = Runtime::Eager}));
    cells.work.push_back(work_of(program));
    double macs = 0;
    for (const DeviceStep& step : program.steps) macs += static_cast<double>(step.cost.macs);
    cells.macs.push_back(macs);
  }
  for (const TimedColumn& timed : kTimed) {
    HONE_TRY(const Column column, find_column(rows[0], timed.column));
    for (size_t r = 1; r < rows.size(); ++r) {
      HONE_TRY(const double ms, number_of(rows[r], column, kMostMs));
      cells.ms[timed.column].push_back(ms);
    }
  }
  return cells;
}

// Places in the order of the values; equal ones share theirs.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> places(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + end - 1) / 2;
    for (size_t i = begin; i < end; ++i) places[order[i]] = shared;
  }
  return places;
}

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double middle = static_cast<double>(x.size() - 1) / 2;
  double product = 0, squares_x = 0, squares_y = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    product += (x[i] - middle) * (y[i] - middle);
    squares_x += (x[i] - middle) * (x[i] - middle);
    squares_y += (y[i] - middle) * (y[i] - middle);
  }
  return product / std::sqrt(squares_x * squares_y);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Score {
  double spearman = 0;
  double error = 0;  // The median.
};

// A device as its class knows it that was learned without it.
class Predictor {
 public:
  Predictor(const Cells& cells, const TimedColumn& timed)
      : cells_(cells), ms_(cells.ms.at(timed.column)), device_(**find_device(timed.device)) {
    std::vector<ClassDevice> others;
    for (const TimedColumn& other : kTimed) {
      const Device& device = **find_device(other.device);
      if (other.device == timed.device || class_of(device) != class_of(device_)) continue;
      others.push_back({.name = std::string(other.device), .member = member_of(device)});
      for (size_t i = 0; i < cells.names.size(); i += kCellsApart) {
        others.back().points.push_back({.work = cells.work[i], .ms = cells.ms.at(other.column)[i]});
        others.back().networks.push_back(cells.names[i]);
      }
    }
    learned_ = learn_class(others);
    costs_ = costs_of(learned_, member_of(device_));
  }

  Score predict(const std::vector<size_t>& measured) const {
    const FamilyCosts better = learn(measured);
    std::vector<bool> known(ms_.size());
    for (const size_t i : measured) known[i] = true;
    std::vector<double> predicted, truth, errors;
    for (size_t i = 0; i < ms_.size(); ++i) {
      if (known[i]) continue;
      predicted.push_back(ms_of(better, i));
      truth.push_back(ms_[i]);
      errors.push_back(std::abs(predicted.back() / truth.back() - 1));
    }
    return {spearman(predicted, truth), median(errors)};
  }

  // As `hone calibrate --plan` names them, of the networks of the class.
  std::vector<size_t> planned() const {
    std::vector<size_t> cells;
    for (const PlannedPoint& point : plan_points(costs_, learned_.networks, kMeasured)) {
      cells.push_back(point.network * kCellsApart);
    }
    return cells;
  }

  // Each cell as all but a tenth of the cells tell it.
  std::vector<double> with_nearly_all() const {
    std::vector<double> predicted(ms_.size());
    for (size_t fold = 0; fold < kFolds; ++fold) {
      std::vector<size_t> measured;
      for (size_t i = 0; i < ms_.size(); ++i) {
        if (i % kFolds != fold) measured.push_back(i);
      }
      const FamilyCosts better = learn(measured);
      for (size_t i = fold; i < ms_.size(); i += kFolds) predicted[i] = ms_of(better, i);
    }
    return predicted;
  }

 private:
  static const std::string& class_of(const Device& device) {
    return device.analytic()->membership->classes.find("fp32")->second;
  }

  static ClassMember member_of(const Device& device) {
    return {.gops = peak_of(*device.analytic(), "fp32") / 1e9,
            .threads = device.analytic()->membership->threads};
  }

  FamilyCosts learn(const std::vector<size_t>& measured) const {
    std::vector<MeasuredWork> points;
    for (const size_t i : measured) {
      points.push_back({cells_.work[i], ms_[i], effect_of(learned_, cells_.work[i])});
    }
    return learn_from(costs_, points);
  }

  double ms_of(const FamilyCosts& costs, size_t cell) const {
    return predict_costs(costs, cells_.work[cell]).ms;
  }

  const Cells& cells_;
  const std::vector<double>& ms_;
  const Device& device_;
  DeviceClass learned_ = {};
  FamilyCosts costs_ = {};
};

// Without an edge between the two inner nodes they may change places: the same network. Empty for
// others.
std::string twin_of(const std::string& cell) {
  std::vector<std::string> ops;
  for (size_t from = 0, to = 0; (to = cell.find('~', from)) != std::string::npos; from = to + 1) {
    ops.push_back(cell.substr(cell.rfind('|', to) + 1, to - cell.rfind('|', to) - 1));
  }
  if (ops.size() != 6 || ops[2] != "none") return "";
  return str("|", ops[1], "~0|+|", ops[0], "~0|none~1|+|", ops[3], "~0|", ops[5], "~1|", ops[4],
             "~2|");
}

struct Twins {
  size_t pairs = 0;
  double deviation = 0;  // Of the logarithm of one time.
};

Twins twins_of(const Cells& cells, const std::vector<double>& ms) {
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < ms.size(); ++i) places[cells.names[i]] = i;
  Twins twins;
  std::vector<double> apart;
  for (size_t i = 0; i < ms.size(); ++i) {
    const auto twin = places.find(twin_of(cells.names[i]));
    if (twin == places.end() || twin->second <= i) continue;
    apart.push_back(std::abs(std::log(ms[i] / ms[twin->second])));
  }
  // Half of all lie within so many deviations of a normal distribution; the median, since one pair
  // of twenty that is far apart would decide a mean.
  constexpr double kHalfWithin = 0.6745;
  twins.pairs = apart.size();
  twins.deviation = median(apart) / kHalfWithin / std::sqrt(2.0);
  return twins;
}

bool whole(const std::vector<double>& ms) {
  return std::ranges::all_of(ms, [](double value) { return value == std::round(value); });
}

// What somebody would reach who knew every time for sure, were they `sure` and measured as these.
double reachable(const std::vector<double>& sure, const std::vector<double>& ms, double deviation) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, deviation);
  std::vector<double> measured;
  for (const double value : sure) {
    const double once = value * std::exp(noise(random));
    measured.push_back(whole(ms) ? std::round(once) : once);
  }
  return spearman(sure, measured);
}

std::vector<Score> random_scores(const Predictor& predictor, size_t cells) {
  std::mt19937 random(1);
  std::vector<Score> scores;
  std::vector<size_t> order(cells);
  std::iota(order.begin(), order.end(), size_t{0});
  for (int draw = 0; draw < kRandomDraws; ++draw) {
    std::ranges::shuffle(order, random);
    scores.push_back(predictor.predict({order.begin(), order.begin() + kMeasured}));
  }
  std::ranges::sort(scores, {}, &Score::spearman);
  return scores;
}

void print_column(const Cells& cells, const TimedColumn& timed) {
  const std::vector<double>& ms = cells.ms.at(timed.column);
  const Predictor predictor(cells, timed);
  const std::vector<Score> drawn = random_scores(predictor, ms.size());
  Score mean;
  for (const Score& score : drawn) {
    mean.spearman += score.spearman / kRandomDraws;
    mean.error += score.error / kRandomDraws;
  }
  double worst = 0;
  for (int i = 0; i < kRandomDraws / 10; ++i) {
    worst += drawn[static_cast<size_t>(i)].spearman / (kRandomDraws / 10);
  }
  const Score none = predictor.predict({});
  const Score planned = predictor.predict(predictor.planned());
  const std::vector<double> nearly_all = predictor.with_nearly_all();
  const Twins twins = twins_of(cells, ms);
  std::cout << "| " << timed.device << " | " << fixed(spearman(cells.macs, ms), 3) << " | "
            << fixed(none.spearman, 3) << " | " << fixed(mean.spearman, 3) << " | "
            << fixed(worst, 3) << " | " << fixed(planned.spearman, 3) << " | "
            << fixed(100 * mean.error, 1) << " % | " << fixed(100 * planned.error, 1) << " % | "
            << fixed(spearman(nearly_all, ms), 3) << " | " << fixed(100 * twins.deviation, 1)
            << " % | " << fixed(reachable(nearly_all, ms, twins.deviation), 3) << " |\n";
}

Status print_cells(int argc, char** argv) {
  if (argc != 2) return bad_input("usage: cell_accuracy NAS201.csv");
  HONE_TRY(const Cells cells, read_cells(argv[1]));
  std::cout << "| device | MACs | no point | 10 points | worst tenth | 10 planned | error, 10 | "
               "planned | nine tenths of all | one time is off | reachable |\n"
               "|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const TimedColumn& timed : kTimed) print_column(cells, timed);
  return Done{};
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  const hone::Status status = hone::print_cells(argc, argv);
  if (status.ok()) return 0;
  std::cerr << status.error().message << "\n";
  return 1;
}
