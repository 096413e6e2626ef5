#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace hone {

// Text for people on its way out, line by line: what a terminal would obey is shown as escapes, and
// a line longer than any of Hone's own loses its middle. It is the last place where that can be
// done; a line break in a name is no longer seen as one here, so names pass `printable` before.
class PrintableStream : public std::ostream {
 public:
  explicit PrintableStream(std::ostream& to) : std::ostream(nullptr), buffer_(to) {
    rdbuf(&buffer_);
  }

 private:
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(std::ostream& to) : to_(to) {}

   protected:
    int overflow(int c) override;
    int sync() override;

   private:
    bool put_line();

    std::ostream& to_;
    std::string line_;
  };

  Buffer buffer_;
};

}  // namespace hone
