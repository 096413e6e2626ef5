#include "hone/base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/kept_files.h"
#include "hone/base/str.h"
#include "hone/base/temporaries.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

// As many as Linux follows before it takes them for a circle.
constexpr int kMostLinks = 40;

bool lies_in(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  return fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error) == folder;
}

// What the links at the end of a path lead to, whether or not it exists. Those in `last` are not
// followed.
fs::path behind_links(fs::path path, const fs::path& last) {
  std::error_code error;
  for (int i = 0; i < kMostLinks && !lies_in(path, last); ++i) {
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / next;  // The next alone where it is absolute.
  }
  return path;
}

// The number of an open file.
std::optional<int> number_of(const std::string& name) {
  int number = -1;
  const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = bad == std::errc() && end == name.data() + name.size();
  return whole && number >= 0 ? std::optional(number) : std::nullopt;
}

// A name that nobody guesses, short enough for every file system.
fs::path temporary_name() {
  std::random_device random;
  char name[32];
  std::snprintf(name, sizeof(name), ".hone-%08x%08x.part", random(), random());
  return name;
}

// How an open file is named for as long as it is open.
std::string open_file_name(int file) {
  return str("/proc/self/fd/", file);
}

// What can be kept of an existing file's owner and permissions; only root may give files away.
int take_after(int file, const struct stat& old) {
  if (::fchown(file, old.st_uid, old.st_gid) != 0 && ::fchown(file, -1, old.st_gid) != 0) {
    return ::fchmod(file, old.st_mode & 0777);
  }
  return ::fchmod(file, old.st_mode & 07777);
}

}  // namespace

Result<OutputFile> OutputFile::open(const fs::path& path) {
  OutputFile output;
  output.path_ = path;
  // /dev/stdout leads to /proc/self/fd/1. Opened anew, it would write over what was written before.
  std::error_code error;
  const fs::path open_files = fs::canonical("/proc/self/fd", error);
  output.target_ = behind_links(path, open_files);
  if (!error && lies_in(output.target_, open_files)) {
    const std::optional<int> number = number_of(output.target_.filename().string());
    output.file_ = ::fcntl(number.value_or(-1), F_DUPFD_CLOEXEC, 0);
    if (output.file_ < 0) return output.failure(errno);
    return output;
  }
  struct stat old;
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) return output.failure(errno);
  if (exists && !S_ISREG(old.st_mode)) {
    output.file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (output.file_ < 0) return output.failure(errno);
    return output;
  }
  if (exists && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    return output.failure(errno);
  }
  HONE_RETURN_IF_ERROR(output.open_temporary());
  if (exists && take_after(output.file_, old) != 0) return output.failure(errno);
  return output;
}

// A file without a name, which goes with the program whatever ends that; false where the file system
// has none.
bool OutputFile::open_nameless() {
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  file_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (file_ < 0) return false;
  nameless_ = ::access(open_file_name(file_).c_str(), F_OK) == 0;
  if (!nameless_) ::close(std::exchange(file_, -1));
  return nameless_;
}

Status OutputFile::open_temporary() {
  if (open_nameless()) return Done{};
  return make_temporary([&] {
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file_ >= 0;
  });
}

Status OutputFile::name_temporary() {
  nameless_ = false;
  return make_temporary([&] {
    return ::linkat(AT_FDCWD, open_file_name(file_).c_str(), AT_FDCWD, temporary_.c_str(),
                    AT_SYMLINK_FOLLOW) == 0;
  });
}

// By `make`, of a name that nobody else has.
Status OutputFile::make_temporary(const std::function<bool()>& make) {
  bool made = false;
  do {
    temporary_ = target_.parent_path() / temporary_name();
    made = make();
  } while (!made && errno == EEXIST);
  if (!made) {
    temporary_.clear();
    return failure(errno);
  }
  entry_ = enter_temporary(temporary_);
  return Done{};
}

void OutputFile::forget_temporary() {
  temporary_.clear();
  leave_temporary(entry_);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::exchange(other.file_, -1)),
      nameless_(std::exchange(other.nameless_, false)),
      entry_(std::exchange(other.entry_, -1)) {}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  forget_temporary();
}

Status OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure(errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return Done{};
}

Status OutputFile::finish() {
  if (file_ < 0) return Done{};
  const bool plain = nameless_ || !temporary_.empty();
  if (plain && ::fsync(file_) != 0) return failure(errno);
  if (nameless_) HONE_RETURN_IF_ERROR(name_temporary());
  if (::close(std::exchange(file_, -1)) != 0) return failure(errno);
  return Done{};
}

Status OutputFile::commit() {
  HONE_RETURN_IF_ERROR(finish());
  if (temporary_.empty()) return Done{};
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return failure(errno);
  forget_temporary();
  keep_file(target_);
  return Done{};
}

Error OutputFile::failure(int code) const {
  return out_of_resource(path_.string(), ": cannot be written: ", std::strerror(code));
}

Status write_files(const fs::path& folder, const std::vector<NamedText>& files) {
  for (const NamedText& file : files) {
    std::error_code error;
    const fs::file_status there = fs::status(folder / file.name, error);
    if (!fs::exists(there) || fs::is_regular_file(there)) continue;
    return out_of_resource((folder / file.name).string(), ": cannot be written: is ",
                           fs::is_directory(there) ? "a folder" : "no plain file");
  }
  std::vector<OutputFile> outputs;
  for (const NamedText& file : files) {
    HONE_TRY(OutputFile output, OutputFile::open(folder / file.name));
    HONE_RETURN_IF_ERROR(output.write(file.text));
    outputs.push_back(std::move(output));
  }
  for (OutputFile& output : outputs) HONE_RETURN_IF_ERROR(output.finish());
  for (OutputFile& output : outputs) HONE_RETURN_IF_ERROR(output.commit());
  return Done{};
}

namespace {

// The first folder of the path that is not there; empty where all are.
fs::path first_missing(const fs::path& path) {
  fs::path walked;
  std::error_code ignored;
  for (const fs::path& part : path) {
    walked /= part;
    if (!fs::exists(fs::symlink_status(walked, ignored))) return walked;
  }
  return {};
}

}  // namespace

Status write_folder(const fs::path& path, const std::function<Status()>& write) {
  const fs::path made = first_missing(path);
  Status status = make_folder(path);
  if (status.ok()) status = write();
  std::error_code ignored;
  if (!status.ok() && !made.empty()) fs::remove_all(made, ignored);
  return status;
}

}  // namespace hone
