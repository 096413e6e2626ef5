#include "hone/quantize/mixed_precision.h"

#include <algorithm>

namespace hone {
namespace {

class Spender {
 public:
  Spender(const QuantizePlan& plan, std::vector<LayerPrice> prices, const MixedOptions& options,
          const DropOf& drop_of)
      : plan_(plan), prices_(std::move(prices)), options_(options), drop_of_(drop_of) {
    // Steps that gain nothing measurable still have a price.
    const auto worth = [](const LayerPrice& price) {
      return price.noise / std::max(price.gain_us, 0.01);
    };
    std::ranges::stable_sort(prices_, std::greater(), worth);
  }

  Result<MixedPlan> run() {
    HONE_RETURN_IF_ERROR(halve());
    if (result_.holds) HONE_RETURN_IF_ERROR(give_back());
    result_.plan = with(wide_);
    for (const size_t i : wide_) {
      result_.wide.push_back(prices_[i].layer);
      result_.lost_us += std::max(prices_[i].gain_us, 0.0);
    }
    return std::move(result_);
  }

 private:
  using Chosen = std::vector<size_t>;  // Into prices_.

  QuantizePlan with(const Chosen& wide) const {
    QuantizePlan plan = plan_;
    for (const size_t i : wide) plan.rules.push_back({exactly(prices_[i].layer), options_.wide});
    return plan;
  }

  bool may_try() const { return static_cast<int>(result_.trials.size()) < options_.evaluations; }

  Result<bool> holds(const Chosen& wide) {
    HONE_TRY(const double drop, drop_of_(with(wide)));
    result_.trials.push_back({wide.size(), drop});
    return drop <= options_.max_drop;
  }

  Chosen first(size_t count) const {
    Chosen chosen(count);
    for (size_t i = 0; i < count; ++i) chosen[i] = i;
    return chosen;
  }

  // The fewest layers to spare: none of them, or the first of the order.
  Status halve() {
    HONE_TRY(result_.holds, holds({}));
    if (result_.holds) return Done{};
    size_t too_few = 0;
    size_t enough = prices_.size();
    wide_ = first(enough);
    HONE_TRY(result_.holds, holds(wide_));
    while (result_.holds && enough - too_few > 1 && may_try()) {
      const size_t middle = (too_few + enough) / 2;
      HONE_TRY(const bool held, holds(first(middle)));
      (held ? enough : too_few) = middle;
    }
    wide_ = first(enough);
    return Done{};
  }

  Status give_back() {
    Chosen by_gain = wide_;
    std::ranges::stable_sort(by_gain, std::greater(), [&](size_t i) { return prices_[i].gain_us; });
    for (const size_t i : by_gain) {
      if (!may_try()) return Done{};
      Chosen fewer = wide_;
      std::erase(fewer, i);
      // All of them, one less than what was found too few before: known to fail.
      if (fewer == first(fewer.size())) continue;
      HONE_TRY(const bool held, holds(fewer));
      if (held) wide_ = fewer;
    }
    return Done{};
  }

  const QuantizePlan& plan_;
  std::vector<LayerPrice> prices_;
  const MixedOptions& options_;
  const DropOf& drop_of_;
  MixedPlan result_;
  Chosen wide_;
};

}  // namespace

Result<MixedPlan> spend_bits(const QuantizePlan& plan, std::vector<LayerPrice> prices,
                             const MixedOptions& options, const DropOf& drop_of) {
  return Spender(plan, std::move(prices), options, drop_of).run();
}

}  // namespace hone
