#include "hone/targets/c_code/choose_chains.h"

#include <algorithm>
#include <limits>

namespace hone::c_code {
namespace {

constexpr size_t kNoBytes = std::numeric_limits<size_t>::max();

}  // namespace

double added_instructions(const RowCost& cost) {
  // Near what emulated boards count: a row's call and what its kernel does before the first pixel; moving
  // a byte; a multiply-add of a product; widening a byte; what a depthwise layer does for a channel.
  constexpr double kCall = 130;
  constexpr double kMovedByte = 0.4;
  constexpr double kMac = 1.2;
  constexpr double kWidenedByte = 3.2;
  constexpr double kChannel = 52;
  return kCall * static_cast<double>(cost.calls) +
         kMovedByte * static_cast<double>(cost.moved_bytes) +
         kMac * static_cast<double>(cost.macs) + kWidenedByte * static_cast<double>(cost.widened) +
         kChannel * static_cast<double>(cost.channels);
}

ChainChooser::ChainChooser(const std::vector<Step>& steps, const ArenaUse& use)
    : steps_(steps), use_(use), parts_by_last_(steps.size()) {
  for (size_t s = 0; s < steps.size(); ++s) add_parts_from(s);
}

void ChainChooser::add_parts_from(size_t first) {
  parts_by_last_[first].push_back(plain_part(first));
  for (size_t last = first; last < steps_.size() && runs_by_rows(steps_[last]); ++last) {
    const bool linked =
        last == first || (use_.made[last - 1] && hands_on(steps_[last - 1], steps_[last]));
    if (!linked) return;
    parts_by_last_[last].push_back(chain_part(trace_chain(steps_, first, last)));
  }
}

// What lives across the steps, what they read and make, and what is theirs alone. With a lead, what they
// read may lie over what they make if nobody reads it later.
size_t ChainChooser::bytes_of(size_t first, size_t last, std::optional<size_t> lead,
                              size_t own) const {
  const std::optional<size_t> read = use_.read[first];
  size_t bytes = own;
  for (size_t i = 0; i < use_.lives.size(); ++i) {
    const BufferLife& life = use_.lives[i];
    if (i != read && life.first < first && life.last >= first) bytes += life.bytes;
  }
  const size_t from = read ? use_.lives[*read].bytes : 0;
  const size_t to = use_.made[last] ? use_.lives[*use_.made[last]].bytes : 0;
  const bool over = lead && read && use_.lives[*read].last <= last;
  return bytes + (over ? std::max(from + *lead, to) : from + to);
}

ChainChooser::Part ChainChooser::plain_part(size_t step) const {
  const Step& one = steps_[step];
  const bool over = one.in_place && use_.made[step];
  return {step, step,
          bytes_of(step, step, over ? std::optional<size_t>(0) : std::nullopt, one.scratch_bytes)};
}

ChainChooser::Part ChainChooser::chain_part(RowChain chain) const {
  size_t own = chain.scratch_bytes;
  for (size_t i = 0; i < chain.link_rows.size(); ++i) {
    own += chain.link_rows[i] * row_bytes(steps_[chain.first + i]);
  }
  const bool over = use_.made[chain.last].has_value();
  const size_t bytes =
      bytes_of(chain.first, chain.last, over ? std::optional(chain.lead) : std::nullopt, own);
  return {chain.first, chain.last, bytes, std::move(chain)};
}

size_t ChainChooser::least_bytes() const {
  std::vector<size_t> least(steps_.size() + 1, kNoBytes);
  least[0] = 0;
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (const Part& part : parts_by_last_[s]) {
      least[s + 1] = std::min(least[s + 1], std::max(least[part.first], part.bytes));
    }
  }
  return least.back();
}

std::vector<size_t> ChainChooser::limits() const {
  constexpr size_t kMost = 64;
  const size_t least = least_bytes();
  std::vector<size_t> all;
  for (const std::vector<Part>& parts : parts_by_last_) {
    for (const Part& part : parts) {
      if (part.bytes >= least) all.push_back(part.bytes);
    }
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const size_t every = (all.size() + kMost - 1) / kMost;
  std::vector<size_t> some;
  for (size_t i = 0; i < all.size(); i += every) some.push_back(all[i]);
  std::ranges::reverse(some);
  return some;
}

std::vector<RowChain> ChainChooser::within(size_t limit) const {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> cost(steps_.size() + 1, kNever);
  std::vector<const Part*> chosen(steps_.size() + 1, nullptr);
  cost[0] = 0;
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (const Part& part : parts_by_last_[s]) {
      if (part.bytes > limit) continue;
      const double added = part.chain ? added_instructions(part.chain->cost) : 0;
      if (cost[part.first] + added >= cost[s + 1]) continue;
      cost[s + 1] = cost[part.first] + added;
      chosen[s + 1] = &part;
    }
  }
  HONE_CHECK(cost.back() < kNever, "no chains need as little as ", limit, " bytes");
  std::vector<RowChain> chains;
  for (size_t s = steps_.size(); s > 0; s = chosen[s]->first) {
    if (chosen[s]->chain) chains.push_back(*chosen[s]->chain);
  }
  std::ranges::reverse(chains);
  return chains;
}

}  // namespace hone::c_code
