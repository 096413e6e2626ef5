#include "hone/sim/hazards.h"

#include <algorithm>

#include "hone/base/str.h"
#include "hone/sim/regions.h"

namespace hone::sim {
namespace {

constexpr size_t kFirstDma = 3;

size_t track(const Command& command, bool depthwise_on_vector) {
  if (const auto* transfer = std::get_if<Transfer>(&command.work)) {
    return kFirstDma + static_cast<size_t>(transfer->channel);
  }
  if (const auto* product = std::get_if<Product>(&command.work)) {
    return product->depthwise && depthwise_on_vector ? 1 : 0;
  }
  return std::holds_alternative<VectorCommand>(command.work) ? 1 : 2;
}

// For every command and engine, how many of the engine's commands have surely ended before the
// command starts. Engines work in order, so that one number says it all.
class Order {
 public:
  Order(const CommandStream& stream, bool depthwise_on_vector) {
    const size_t commands = stream.commands.size();
    for (const Command& command : stream.commands) {
      tracks_.push_back(track(command, depthwise_on_vector));
      width_ = std::max(width_, tracks_.back() + 1);
    }
    ended_.resize(commands * width_);
    std::vector<uint32_t> last(width_), count(width_);
    for (uint32_t i = 0; i < commands; ++i) {
      const size_t own = tracks_[i];
      if (count[own] > 0) follow(i, last[own]);
      rank_.push_back(++count[own]);
      last[own] = i;
      for (const uint32_t wait : stream.commands[i].waits) follow(i, wait);
    }
  }

  // Whether `first` has ended when `second` starts, for first < second.
  bool holds(uint32_t first, uint32_t second) const {
    return ended_[second * width_ + tracks_[first]] >= rank_[first];
  }

 private:
  void follow(uint32_t command, uint32_t before) {
    uint32_t* to = &ended_[command * width_];
    const uint32_t* from = &ended_[before * width_];
    for (size_t t = 0; t < width_; ++t) to[t] = std::max(to[t], from[t]);
    to[tracks_[before]] = std::max(to[tracks_[before]], rank_[before]);
  }

  std::vector<size_t> tracks_;
  size_t width_ = 1;
  std::vector<uint32_t> rank_;   // How many of its engine's commands there are up to it.
  std::vector<uint32_t> ended_;  // [command][track]
};

struct Touch {
  View bytes;
  uint64_t end;
  uint32_t command;
};

// What has been read and written in one space, less what a later write that is known to come after
// it has covered: who is in order with that write is in order with what was before.
class Touched {
 public:
  template <class Report>
  void add(const Order& order, uint32_t command, const Access& access, Report report) {
    const Touch touch = {access.bytes, *end_of(access.bytes), command};
    check(writes_, order, touch, access.writes, report);
    if (access.writes) check(reads_, order, touch, true, report);
    (access.writes ? writes_ : reads_).push_back(touch);
  }

 private:
  template <class Report>
  static void check(std::vector<Touch>& touches, const Order& order, const Touch& now, bool covers,
                    Report report) {
    const bool whole =
        covers && now.end - now.bytes.at.offset == static_cast<uint64_t>(now.bytes.elements());
    size_t kept = 0;
    for (size_t i = 0; i < touches.size(); ++i) {
      const Touch& before = touches[i];
      bool drop = false;
      if (before.command != now.command && before.bytes.at.offset < now.end &&
          now.bytes.at.offset < before.end && overlap(before.bytes, now.bytes)) {
        const bool ordered = order.holds(before.command, now.command);
        if (!ordered) report(before.command);
        drop = ordered && whole && now.bytes.at.offset <= before.bytes.at.offset &&
               before.end <= now.end;
      }
      if (!drop) touches[kept++] = touches[i];
    }
    touches.resize(kept);
  }

  std::vector<Touch> reads_;
  std::vector<Touch> writes_;
};

}  // namespace

std::vector<std::string> find_hazards(const CommandStream& stream, bool depthwise_on_vector) {
  const Order order(stream, depthwise_on_vector);
  std::vector<Touched> spaces(256);
  std::vector<std::string> hazards;
  for (uint32_t i = 0; i < stream.commands.size(); ++i) {
    for (const Access& access : accesses_of(stream.commands[i])) {
      spaces[access.bytes.at.space].add(order, i, access, [&](uint32_t before) {
        hazards.push_back(str("command ", i, access.writes ? " writes" : " reads", " space ",
                              int{access.bytes.at.space}, " at ", access.bytes.at.offset,
                              ", which command ", before, " touches: nothing puts them in order"));
      });
    }
  }
  return hazards;
}

}  // namespace hone::sim
