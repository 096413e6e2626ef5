// One NVIDIA GPU: what it is, memory on it, streams of work for it. Everything here belongs to the
// GPU's one context, which `use` makes that of the calling thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hone/cuda/driver.h"

namespace hone::cuda {

struct GpuInfo {
  std::string name;  // "NVIDIA H200".
  int major = 0;     // Compute capability.
  int minor = 0;
  int multiprocessors = 0;
  size_t memory_bytes = 0;
  size_t l2_bytes = 0;
  size_t most_shared_bytes = 0;  // Of a block.
  int most_threads = 2048;       // Of a multiprocessor, as the next three; 0: not told.
  int most_blocks = 0;
  int registers = 0;
  size_t shared_bytes = 0;
  int driver_version = 0;  // 13000 for CUDA 13.0.
  double clock_mhz = 0;    // Of its multiprocessors, at most; 0: not told.
  double memory_rate = 0;  // Bytes in a second that its memory moves, at most; 0: not told.
  std::string bus = {};    // "0000:1B:00.0": what other libraries know it by.
};

// "CUDA 13.0": what the driver supports.
std::string driver_text(const GpuInfo& info);

// Of the first GPU, without opening it. Resource: it is older than compute capability 7.5.
Result<GpuInfo> read_info(const Driver& driver);

class Gpu {
 public:
  // The first GPU of this machine, opened once. Resource: there is none, or it is older than
  // compute capability 7.5.
  static Result<const Gpu*> open();

  const GpuInfo& info() const { return info_; }
  const Driver& driver() const { return *driver_; }
  void* context() const { return context_; }
  // "sm_90a".
  std::string architecture() const;
  // The calling thread works with this GPU from now on.
  Status use() const;

 private:
  static Result<Gpu> make();

  const Driver* driver_ = nullptr;
  void* context_ = nullptr;
  GpuInfo info_ = {};
};

// Something of the driver's that is given back in the end.
template <class Handle>
class Owned {
 public:
  Owned() = default;
  Owned(Handle handle, int (*release)(Handle)) : handle_(handle), release_(release) {}
  Owned(Owned&& other) noexcept
      : handle_(std::exchange(other.handle_, Handle{})), release_(other.release_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(release_, other.release_);
    return *this;
  }
  ~Owned() {
    if (handle_ != Handle{}) release_(handle_);
  }
  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Handle{}; }

 private:
  Handle handle_ = {};
  int (*release_)(Handle) = nullptr;
};

using DeviceMemory = Owned<uint64_t>;  // An address on the GPU.
using PinnedMemory = Owned<void*>;     // Of the host, where the GPU's copies can reach it.
using Stream = Owned<void*>;
using Event = Owned<void*>;
using Recording = Owned<void*>;  // A CUDA graph, ready to be run.

// Resource names what it was for when memory is exhausted. No bytes give null.
Result<DeviceMemory> allocate(const Gpu& gpu, size_t bytes, std::string_view what);
Result<PinnedMemory> allocate_pinned(const Gpu& gpu, size_t bytes, std::string_view what);
Result<Stream> make_stream(const Gpu& gpu);
Result<Event> make_event(const Gpu& gpu);
// Copies now.
Status upload(const Gpu& gpu, uint64_t to, std::span<const std::byte> bytes);

// Records what `work` puts into the stream, to be run again and again by one call.
template <class Work>
Result<Recording> record(const Gpu& gpu, const Stream& stream, const Work& work);

// The two halves of `record`.
Status begin_recording(const Gpu& gpu, const Stream& stream);
Result<Recording> end_recording(const Gpu& gpu, const Stream& stream);

template <class Work>
Result<Recording> record(const Gpu& gpu, const Stream& stream, const Work& work) {
  HONE_RETURN_IF_ERROR(begin_recording(gpu, stream));
  const Status worked = work();
  // Ended in any case: the stream is of no use otherwise.
  Result<Recording> recording = end_recording(gpu, stream);
  if (!worked.ok()) return Error(worked.error());
  return recording;
}

}  // namespace hone::cuda
