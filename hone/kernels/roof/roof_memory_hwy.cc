// Vectors one after the other in memory: neighbours lie in different banks of the
// cache, while loads 128 bytes apart would share one and run once a cycle.
#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/roof/roof_memory_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/roof/roof.h"
#include "hone/kernels/roof/roof_variants.h"
#include "hone/kernels/unroll.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DWord = hn::ScalableTag<uint64_t>;
using WordVec = hn::Vec<DWord>;
constexpr size_t kVectors = 8;
constexpr size_t kWordLanes = hn::MaxLanes(DWord());
constexpr size_t kBlockWords = kMemoryBlock / sizeof(uint64_t);

// Keeps a load whose value nobody wants.
HWY_INLINE void use(WordVec v) {
#if HWY_ARCH_ARM
  asm volatile("" : : "w"(v.raw));
#elif HWY_ARCH_X86
  asm volatile("" : : "x"(v.raw));
#else
  hwy::PreventElision(hn::GetLane(v));
#endif
}

uint64_t roof_read(const void* from, size_t bytes) {
  const auto* x = static_cast<const uint64_t*>(from);
  const uint64_t* end = x + bytes / sizeof(uint64_t);
  WordVec fold = hn::Zero(DWord());
  for (; x < end; x += kBlockWords) {
    fold = hn::Xor(fold, hn::Load(DWord(), x));
    HONE_UNROLL
    for (size_t part = 0; part < kBlockWords; part += kVectors * kWordLanes) {
      HONE_UNROLL
      for (size_t v = part == 0 ? 1 : 0; v < kVectors; ++v) {
        use(hn::Load(DWord(), x + part + v * kWordLanes));
      }
    }
  }
  return hn::GetLane(fold);
}

void roof_write(void* to, size_t bytes, uint8_t value) {
  auto* y = static_cast<uint64_t*>(to);
  const uint64_t* end = y + bytes / sizeof(uint64_t);
  const WordVec fill = hn::Set(DWord(), value * uint64_t{0x0101010101010101});
  for (; y < end; y += kVectors * kWordLanes) {
    HONE_UNROLL
    for (size_t v = 0; v < kVectors; ++v) hn::Store(fill, DWord(), y + v * kWordLanes);
  }
}

void roof_copy(void* to, const void* from, size_t bytes) {
  const auto* x = static_cast<const uint64_t*>(from);
  const uint64_t* end = x + bytes / sizeof(uint64_t);
  auto* y = static_cast<uint64_t*>(to);
  for (; x < end; x += kVectors * kWordLanes, y += kVectors * kWordLanes) {
    WordVec block[kVectors];
    HONE_UNROLL
    for (size_t v = 0; v < kVectors; ++v) block[v] = hn::Load(DWord(), x + v * kWordLanes);
    HONE_UNROLL
    for (size_t v = 0; v < kVectors; ++v) hn::Store(block[v], DWord(), y + v * kWordLanes);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(roof_read);
HWY_EXPORT(roof_write);
HWY_EXPORT(roof_copy);

uint64_t roof_read_hwy(const void* from, size_t bytes) {
  return HWY_DYNAMIC_DISPATCH(roof_read)(from, bytes);
}

void roof_write_hwy(void* to, size_t bytes, uint8_t value) {
  HWY_DYNAMIC_DISPATCH(roof_write)(to, bytes, value);
}

void roof_copy_hwy(void* to, const void* from, size_t bytes) {
  HWY_DYNAMIC_DISPATCH(roof_copy)(to, from, bytes);
}

}  // namespace hone
#endif  // HWY_ONCE
