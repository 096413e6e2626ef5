#include "hone/sim/machine.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "hone/base/check.h"
#include "hone/sim/check_stream.h"
#include "hone/sim/regions.h"
#include "hone/sim/vector_op.h"

namespace hone::sim {
namespace {

// Where the weights in SRAM came from, by the transfers so far: products that read the same weights
// from different places, or at different times, are found to be alike. A guess that is wrong costs
// time only, since bytes are compared before they count as equal.
class WeightOrigins {
 public:
  void add(const Transfer& transfer) {
    if (transfer.role != Role::Weights || !transfer.to.in_sram()) return;
    sources_[transfer.to.offset] = {transfer.from, transfer.bytes()};
  }

  Address of(Address at) const {
    if (!at.in_sram()) return at;
    auto found = sources_.upper_bound(at.offset);
    if (found == sources_.begin()) return at;
    --found;
    const uint64_t into = at.offset - found->first;
    if (into >= static_cast<uint64_t>(found->second.bytes)) return at;
    return {found->second.from.space, found->second.from.offset + into};
  }

 private:
  struct Source {
    Address from;
    int64_t bytes;
  };
  std::map<uint64_t, Source> sources_;  // By where they were brought to.
};

// From where to where commands write outside of the SRAM.
class WrittenMemory {
 public:
  explicit WrittenMemory(const CommandStream& stream) {
    std::vector<Range> ranges;
    for (const Command& command : stream.commands) {
      for (const Access& access : accesses_of(command)) {
        const Address at = access.bytes.at;
        if (!access.writes || at.in_sram()) continue;
        ranges.push_back({at.space, at.offset, *end_of(access.bytes)});
      }
    }
    std::ranges::sort(ranges, {}, [](const Range& r) { return std::pair(r.space, r.begin); });
    for (const Range& range : ranges) {
      const bool joins = !ranges_.empty() && ranges_.back().space == range.space &&
                         range.begin <= ranges_.back().end;
      if (!joins) ranges_.push_back(range);
      ranges_.back().end = std::max(ranges_.back().end, range.end);
    }
  }

  bool touches(Address at, int64_t bytes) const {
    const uint64_t end = at.offset + static_cast<uint64_t>(bytes);
    // The last range that begins before the end is the one that can reach into the bytes.
    const auto after =
        std::ranges::lower_bound(ranges_, std::pair(at.space, end), {},
                                 [](const Range& r) { return std::pair(r.space, r.begin); });
    if (after == ranges_.begin()) return false;
    const Range& before = *(after - 1);
    return before.space == at.space && before.end > at.offset;
  }

 private:
  struct Range {
    uint8_t space;
    uint64_t begin;
    uint64_t end;
  };
  std::vector<Range> ranges_;  // Apart from each other, in order.
};

}  // namespace

Machine::Machine(const CommandStream& stream) : stream_(stream) {
  check_stream(stream);
  for (const uint64_t bytes : stream.space_bytes) {
    spaces_.emplace_back(bytes);
    if (bytes > 0) std::memset(spaces_.back().data(), 0, bytes);
  }
  for (const CommandStream::Image& image : stream.images) {
    if (!image.bytes.empty()) std::memcpy(at(image.at), image.bytes.data(), image.bytes.size());
  }
  find_weights();
}

void Machine::find_weights() {
  WeightOrigins origins;
  std::map<std::vector<int64_t>, uint32_t> found;
  const WrittenMemory written(stream_);
  weights_of_.resize(stream_.commands.size());
  for (size_t i = 0; i < stream_.commands.size(); ++i) {
    const Command& command = stream_.commands[i];
    if (const auto* transfer = std::get_if<Transfer>(&command.work)) origins.add(*transfer);
    const auto* product = std::get_if<Product>(&command.work);
    if (product == nullptr) continue;
    const Address origin = origins.of(product->weights);
    std::vector<int64_t> key = packing_key(*product);
    key.push_back(product->weights.space);
    key.push_back(origin.space);
    key.push_back(static_cast<int64_t>(origin.offset));
    const auto [place, added] = found.emplace(std::move(key), weights_.size());
    weights_of_[i] = place->second;
    if (!added) continue;
    const bool constant =
        !product->weights.in_sram() && !written.touches(product->weights, product->weight_bytes());
    weights_.push_back({.constant = constant, .packed = {}});
  }
}

Status Machine::run(HostCalls& host) {
  for (size_t command = 0; command < stream_.commands.size(); ++command) {
    HONE_RETURN_IF_ERROR(run_command(command, host));
  }
  return Done{};
}

Status Machine::run_command(size_t command, HostCalls& host) {
  const auto& work = stream_.commands[command].work;
  if (const auto* call = std::get_if<HostCall>(&work)) return host.run(call->call);
  if (const auto* transfer = std::get_if<Transfer>(&work)) run_transfer(*transfer);
  if (const auto* product = std::get_if<Product>(&work)) run_product(command, *product);
  if (const auto* vector = std::get_if<VectorCommand>(&work)) {
    const VectorOperands operands = {.a = at(vector->a.at),
                                     .b = at(vector->b.at),
                                     .output = at(vector->output.at),
                                     .constants = at(vector->constants)};
    vector->op->run(*vector, operands, scratch_);
  }
  return Done{};
}

void Machine::run_transfer(const Transfer& transfer) {
  const std::byte* from = at(transfer.from);
  std::byte* to = at(transfer.to);
  const auto bytes = static_cast<size_t>(transfer.row_bytes);
  if (transfer.from_stride == transfer.row_bytes && transfer.to_stride == transfer.row_bytes) {
    std::memcpy(to, from, static_cast<size_t>(transfer.bytes()));
    return;
  }
  for (int64_t row = 0; row < transfer.rows; ++row) {
    std::memcpy(to + row * transfer.to_stride, from + row * transfer.from_stride, bytes);
  }
}

void Machine::run_product(size_t command, const Product& product) {
  Weights& weights = weights_[weights_of_[command]];
  const std::byte* bytes = at(product.weights);
  if (!weights.packed || (!weights.constant && !weights.packed->holds(bytes))) {
    weights.packed = std::make_unique<const PackedProduct>(product, bytes, !weights.constant);
  }
  weights.packed->run(product, at(product.input.at), at(product.output.at), scratch_);
}

}  // namespace hone::sim
