#include "hone/cli/printable_stream.h"

#include "hone/base/printable.h"

namespace hone {
namespace {

constexpr size_t kLongestLine = 8000;

}  // namespace

int PrintableStream::Buffer::overflow(int c) {
  if (c == traits_type::eof()) return 0;
  if (c != '\n') {
    line_ += static_cast<char>(c);
    return c;
  }
  if (!put_line()) return traits_type::eof();
  return to_.put('\n') ? c : traits_type::eof();
}

int PrintableStream::Buffer::sync() {
  return put_line() && to_.flush() ? 0 : -1;
}

bool PrintableStream::Buffer::put_line() {
  to_ << printable(line_, kLongestLine);
  line_.clear();
  return to_.good();
}

}  // namespace hone
