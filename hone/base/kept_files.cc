#include "hone/base/kept_files.h"

#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstring>
#include <iterator>
#include <string_view>

namespace hone {
namespace {

// One that a signal's handler can read at any time.
struct KeptFile {
  std::atomic<bool> there = false;
  char name[PATH_MAX];
};
static_assert(std::atomic<bool>::is_always_lock_free);

// Of more the last are named.
KeptFile kept_files[32];
std::atomic<size_t> kept_count = 0;

void put(std::string_view text) {
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

bool is_kept(size_t i) {
  return kept_files[i].there && ::access(kept_files[i].name, F_OK) == 0;
}

bool is_named_before(size_t i) {
  for (size_t j = 0; j < i; ++j) {
    if (is_kept(j) && std::strcmp(kept_files[j].name, kept_files[i].name) == 0) return true;
  }
  return false;
}

// A name can hold what a terminal obeys.
void put_name(const char* name) {
  for (; *name != '\0'; ++name) {
    const bool control = static_cast<unsigned char>(*name) < 0x20 || *name == 0x7f;
    put(control ? std::string_view("?") : std::string_view(name, 1));
  }
}

}  // namespace

void keep_file(const std::filesystem::path& path) {
  if (path.native().size() >= PATH_MAX) return;
  KeptFile& file = kept_files[kept_count.fetch_add(1) % std::size(kept_files)];
  file.there = false;
  std::strcpy(file.name, path.c_str());
  file.there = true;
}

void tell_kept_files() {
  bool any = false;
  for (size_t i = 0; i < std::size(kept_files); ++i) {
    if (!is_kept(i) || is_named_before(i)) continue;
    put(any ? ", " : "hone: interrupted; kept: ");
    put_name(kept_files[i].name);
    any = true;
  }
  put(any ? "\n" : "hone: interrupted; nothing was written\n");
}

}  // namespace hone
