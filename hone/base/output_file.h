#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"

namespace hone {

// A file being written. The bytes go to a temporary beside it, which takes its name at the end, so
// a reader never sees half a file and a failure leaves what was there. Where the file system can, it
// has no name until it is finished, and nothing is left of it when the program is killed. A link stays and what it
// leads to is replaced; an existing file keeps its permissions. What is no plain file, as a pipe,
// a device or /dev/stdout, is written to as it is. Every failure is a Resource error that names the
// path.
class OutputFile {
 public:
  static Result<OutputFile> open(const std::filesystem::path& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  // Removes the temporary unless it was committed.
  ~OutputFile();

  Status write(std::string_view bytes);
  // Everything written is on the disk after it. Nothing may be written later.
  Status finish();
  // Finishes, and gives the file its name.
  Status commit();

 private:
  OutputFile() = default;
  bool open_nameless();
  Status open_temporary();
  Status name_temporary();
  Status make_temporary(const std::function<bool()>& make);
  void forget_temporary();
  Error failure(int code) const;

  std::filesystem::path path_;    // As the caller named it.
  std::filesystem::path target_;  // Behind links.
  std::filesystem::path
      temporary_;  // Empty while nameless, once renamed, and for what is no plain file.
  int file_ = -1;
  bool nameless_ = false;
  int entry_ = -1;  // Of enter_temporary.
};

struct NamedText {
  std::string name;
  std::string text;
};
// Files that belong together: they take their names when all are written, so that a failure leaves what was there.
// Nothing is written where a name is that of no plain file, as a folder or a pipe.
Status write_files(const std::filesystem::path& folder, const std::vector<NamedText>& files);

// Makes the folder and calls `write`, which fills it. Where that fails, folders that were not there before go
// again, with all in them.
Status write_folder(const std::filesystem::path& path, const std::function<Status()>& write);

}  // namespace hone
