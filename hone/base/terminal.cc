#include "hone/base/terminal.h"

#include <sys/ioctl.h>

namespace hone {

std::optional<size_t> terminal_columns(int file) {
  winsize size{};
  if (ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace hone
