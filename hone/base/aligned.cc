#include "hone/base/aligned.h"

#include <sys/mman.h>

#include <new>

namespace hone {
namespace {

constexpr size_t kCacheLine = 64;
constexpr size_t kHugePage = 2 * 1024 * 1024;

// Smaller blocks would be of small pages for the most part.
bool wants_huge_pages(size_t bytes) {
  return bytes >= 2 * kHugePage;
}

std::align_val_t alignment_of(size_t bytes) {
  return std::align_val_t{wants_huge_pages(bytes) ? kHugePage : kCacheLine};
}

}  // namespace

void* allocate_aligned(size_t bytes) {
  void* memory = ::operator new(bytes, alignment_of(bytes));
  // Whole pages only, so that no more memory is taken than was asked for. A refusal changes nothing.
  if (wants_huge_pages(bytes)) madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  return memory;
}

void free_aligned(void* memory, size_t bytes) {
  ::operator delete(memory, alignment_of(bytes));
}

}  // namespace hone
