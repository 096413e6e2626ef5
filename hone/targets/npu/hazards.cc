#include "hone/targets/npu/hazards.h"

#include <algorithm>

namespace hone::npu {

void Hazards::cut(Segments& segments, uint64_t at) {
  auto after = segments.upper_bound(at);
  if (after == segments.begin()) return;
  auto [start, segment] = *std::prev(after);
  if (start == at || segment.end <= at) return;
  std::prev(after)->second.end = at;
  segments.emplace(at, std::move(segment));
}

void Hazards::fill(Segments& segments, uint64_t from, uint64_t to) {
  cut(segments, from);
  cut(segments, to);
  uint64_t at = from;
  for (auto next = segments.lower_bound(from); at < to; ++next) {
    const uint64_t end = next == segments.end() ? to : std::min(to, next->first);
    if (at < end) next = segments.emplace(at, Segment{.end = end}).first;
    at = next->second.end;
  }
}

void Hazards::collect(const std::vector<Access>& accesses, size_t track) {
  for (const Access& access : accesses) {
    if (access.track == track) continue;
    const auto same = std::ranges::find(waits_, access.track, &Access::track);
    if (same == waits_.end()) {
      waits_.push_back(access);
    } else {
      same->command = std::max(same->command, access.command);
    }
  }
}

std::vector<uint32_t> Hazards::add(uint32_t command, size_t track, const std::vector<Range>& reads,
                                   const std::vector<Range>& writes) {
  waits_.clear();
  for (const Range& range : reads) {
    if (range.bytes == 0) continue;  // What has no bytes is in nobody's way.
    Segments& segments = spaces_[range.at.space];
    const uint64_t end = range.at.offset + range.bytes;
    fill(segments, range.at.offset, end);
    for (auto s = segments.lower_bound(range.at.offset); s != segments.end() && s->first < end;
         ++s) {
      collect(s->second.writers, track);
      auto& readers = s->second.readers;
      const auto same = std::ranges::find(readers, track, &Access::track);
      if (same == readers.end()) {
        readers.push_back({command, track});
      } else {
        same->command = command;
      }
    }
  }
  for (const Range& range : writes) {
    if (range.bytes == 0) continue;
    Segments& segments = spaces_[range.at.space];
    const uint64_t end = range.at.offset + range.bytes;
    fill(segments, range.at.offset, end);
    const auto first = segments.lower_bound(range.at.offset);
    auto last = first;
    for (; last != segments.end() && last->first < end; ++last) {
      collect(last->second.writers, track);
      collect(last->second.readers, track);
    }
    segments.erase(first, last);
    segments.emplace(range.at.offset, Segment{.end = end, .writers = {{command, track}}});
  }
  std::vector<uint32_t> commands;
  for (const Access& wait : waits_) commands.push_back(wait.command);
  std::ranges::sort(commands);
  return commands;
}

}  // namespace hone::npu
