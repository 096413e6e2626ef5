#include "hone/cuda/tracer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "hone/base/shared_library.h"

namespace hone::cuda {
namespace {

using BufferRequested = void (*)(uint8_t** buffer, size_t* bytes, size_t* most_records);
using BufferCompleted = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                                 size_t valid);

// What is used of CUPTI's activity interface: all functions give 0 on success.
struct Cupti {
  int (*register_callbacks)(BufferRequested, BufferCompleted) = nullptr;
  int (*enable)(int kind) = nullptr;
  int (*disable)(int kind) = nullptr;
  int (*flush)(uint32_t flags) = nullptr;
  int (*next_record)(uint8_t* buffer, size_t valid, uint8_t** record) = nullptr;
};

constexpr int kCopyKind = 1;     // CUPTI_ACTIVITY_KIND_MEMCPY
constexpr int kKernelKind = 10;  // CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
constexpr uint32_t kForced = 1;
// Where records of both kinds have these, in all versions since CUDA 7.
constexpr size_t kStartOffset = 16;
constexpr size_t kEndOffset = 24;
constexpr size_t kBufferBytes = size_t{1} << 20;

// Records arrive through callbacks without a parameter of ours.
struct Inbox {
  Cupti cupti;
  std::mutex mutex;
  std::vector<GpuEvent> events;
};
Inbox& inbox() {
  static Inbox box;
  return box;
}

void give_buffer(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;  // As many as fit.
}

void take_buffer(void*, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  Inbox& box = inbox();
  const std::lock_guard lock(box.mutex);
  uint8_t* record = nullptr;
  while (box.cupti.next_record(buffer, valid, &record) == 0) {
    int kind = 0;
    std::memcpy(&kind, record, sizeof kind);
    if (kind != kCopyKind && kind != kKernelKind) continue;
    GpuEvent event{.kernel = kind == kKernelKind};
    std::memcpy(&event.start_ns, record + kStartOffset, sizeof event.start_ns);
    std::memcpy(&event.end_ns, record + kEndOffset, sizeof event.end_ns);
    box.events.push_back(event);
  }
  std::free(buffer);
}

Status load_cupti() {
  const SharedLibrary library({"libcupti.so.13", "libcupti.so.12",
                               "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                               "/usr/local/cuda/lib64/libcupti.so", "libcupti.so"});
  if (!library) return out_of_resource("CUPTI is not here (libcupti.so)");
  Cupti& cupti = inbox().cupti;
  cupti.register_callbacks =
      library.find<int(BufferRequested, BufferCompleted)>("cuptiActivityRegisterCallbacks");
  cupti.enable = library.find<int(int)>("cuptiActivityEnable");
  cupti.disable = library.find<int(int)>("cuptiActivityDisable");
  cupti.flush = library.find<int(uint32_t)>("cuptiActivityFlushAll");
  cupti.next_record = library.find<int(uint8_t*, size_t, uint8_t**)>("cuptiActivityGetNextRecord");
  const bool complete =
      cupti.register_callbacks && cupti.enable && cupti.disable && cupti.flush && cupti.next_record;
  if (!complete) return out_of_resource(library.path(), " lacks functions of CUPTI");
  if (const int error = cupti.register_callbacks(give_buffer, take_buffer); error != 0) {
    return out_of_resource("CUPTI does not record here: error ", error);
  }
  return Done{};
}

}  // namespace

Result<Tracer*> Tracer::open() {
  static const Status kLoaded = load_cupti();
  if (!kLoaded.ok()) return Error(kLoaded.error());
  static Tracer tracer;
  return &tracer;
}

Status Tracer::begin() {
  Inbox& box = inbox();
  for (const int kind : {kKernelKind, kCopyKind}) {
    if (const int error = box.cupti.enable(kind); error != 0) {
      return out_of_resource("CUPTI does not record here: error ", error);
    }
  }
  const std::lock_guard lock(box.mutex);
  box.events.clear();
  return Done{};
}

Result<std::vector<GpuEvent>> Tracer::end() {
  Inbox& box = inbox();
  const int flushed = box.cupti.flush(kForced);
  for (const int kind : {kKernelKind, kCopyKind}) box.cupti.disable(kind);
  if (flushed != 0) return out_of_resource("CUPTI gives nothing back: error ", flushed);
  const std::lock_guard lock(box.mutex);
  std::vector<GpuEvent> events = std::move(box.events);
  box.events.clear();
  std::ranges::stable_sort(events, {}, &GpuEvent::start_ns);
  return events;
}

}  // namespace hone::cuda
