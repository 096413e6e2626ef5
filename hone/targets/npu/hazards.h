// Which earlier commands a new one must wait for: those that wrote what it reads, and those that
// read or wrote what it overwrites.
#pragma once

#include <map>
#include <vector>

#include "hone/sim/command.h"

namespace hone::npu {

// Bytes [at.offset, at.offset + bytes) of a space.
struct Range {
  sim::Address at = {};
  uint64_t bytes = 0;
};

// Commands of one track end in the order they began, so the latest of each is enough.
class Hazards {
 public:
  explicit Hazards(size_t spaces) : spaces_(spaces) {}

  // Records command number `command` on `track` and gives what it waits for on other tracks.
  std::vector<uint32_t> add(uint32_t command, size_t track, const std::vector<Range>& reads,
                            const std::vector<Range>& writes);

 private:
  struct Access {
    uint32_t command;
    size_t track;
  };
  // What happened to the bytes from its key to `end` since they were last written.
  struct Segment {
    uint64_t end = 0;
    std::vector<Access> writers = {};  // At most one.
    std::vector<Access> readers = {};  // The latest of each track.
  };
  using Segments = std::map<uint64_t, Segment>;

  // Cuts the space so that segments begin at `from` and end at `to`.
  static void cut(Segments& segments, uint64_t at);
  static void fill(Segments& segments, uint64_t from, uint64_t to);
  void collect(const std::vector<Access>& accesses, size_t track);

  std::vector<Segments> spaces_;
  std::vector<Access> waits_;
};

}  // namespace hone::npu
