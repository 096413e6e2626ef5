#include "hone/base/temporaries.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <iterator>
#include <utility>

namespace hone {
namespace {

// One that a signal's handler can read at any time.
struct Temporary {
  enum State { kFree, kBeingMade, kThere };
  std::atomic<int> state = kFree;
  char name[PATH_MAX];
};
static_assert(std::atomic<int>::is_always_lock_free);

// More are hardly there at a time.
Temporary temporaries[16];

constexpr int kDeepest = 8;  // Folders in folders: each takes a few KB of the handler's stack.

void empty_folder(int folder, int depth);

bool is_dots(const char* name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

bool remove_entry(int folder, const char* name, int depth) {
  if (is_dots(name)) return false;
  if (::unlinkat(folder, name, 0) == 0) return true;
  if (depth == kDeepest) return false;
  const int inner = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inner < 0) return false;
  empty_folder(inner, depth + 1);
  ::close(inner);
  return ::unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

// The entries of a folder that are read at a time; true when some of them were removed.
bool remove_some(int folder, int depth) {
  alignas(dirent64) char entries[4096];
  bool removed = false;
  ::lseek(folder, 0, SEEK_SET);
  const ssize_t bytes = ::getdents64(folder, entries, sizeof(entries));
  for (ssize_t at = 0; at < bytes;) {
    const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
    removed |= remove_entry(folder, entry->d_name, depth);
    at += entry->d_reclen;
  }
  return removed;
}

void empty_folder(int folder, int depth) {
  while (remove_some(folder, depth)) continue;
}

void remove_folder(const char* path) {
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) empty_folder(folder, 0);
  ::close(folder);
  ::rmdir(path);
}

}  // namespace

int enter_temporary(const std::filesystem::path& path) {
  if (path.native().size() >= PATH_MAX) return -1;
  for (size_t i = 0; i < std::size(temporaries); ++i) {
    int expected = Temporary::kFree;
    if (!temporaries[i].state.compare_exchange_strong(expected, Temporary::kBeingMade)) continue;
    std::strcpy(temporaries[i].name, path.c_str());
    temporaries[i].state = Temporary::kThere;
    return static_cast<int>(i);
  }
  return -1;
}

void leave_temporary(int& entry) {
  if (entry >= 0) temporaries[std::exchange(entry, -1)].state = Temporary::kFree;
}

void remove_temporaries() {
  for (const Temporary& temporary : temporaries) {
    if (temporary.state != Temporary::kThere) continue;
    if (::unlink(temporary.name) != 0 && errno == EISDIR) remove_folder(temporary.name);
  }
}

}  // namespace hone
