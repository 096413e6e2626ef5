// The bytes of an NPU: its memories, and engines that compute on them.
#pragma once

#include <memory>
#include <vector>

#include "hone/base/aligned.h"
#include "hone/base/result.h"
#include "hone/sim/command.h"
#include "hone/sim/product.h"
#include "hone/sim/scratch.h"

namespace hone::sim {

// Does what a machine leaves to its host.
class HostCalls {
 public:
  virtual ~HostCalls() = default;
  virtual Status run(size_t call) = 0;
};

class Machine {
 public:
  // Memories as large as the stream needs them, holding its images, zeros elsewhere. The stream
  // outlives it. A command that reaches out of a space, or writes what it still reads, is a bug.
  explicit Machine(const CommandStream& stream);

  // All commands, one after the other. Only host calls can fail.
  Status run(HostCalls& host);
  // Command by command, for those who look on.
  Status run_command(size_t command, HostCalls& host);

  std::byte* at(Address address) { return spaces_[address.space].data() + address.offset; }
  const std::byte* at(Address address) const {
    return spaces_[address.space].data() + address.offset;
  }

 private:
  // The packed weights of a product are kept for the next run, and shared by the tiles that read
  // them. Bytes that a command may have replaced since are compared with those that were packed.
  struct Weights {
    bool constant = false;  // In a memory, where nothing writes to them.
    std::unique_ptr<const PackedProduct> packed;
  };

  void find_weights();
  void run_transfer(const Transfer& transfer);
  void run_product(size_t command, const Product& product);

  const CommandStream& stream_;
  std::vector<AlignedArray<std::byte>> spaces_;
  std::vector<Weights> weights_;
  std::vector<uint32_t> weights_of_;  // By command, into weights_.
  Scratch scratch_;
};

}  // namespace hone::sim
