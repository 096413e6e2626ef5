#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>
#include <string_view>

#include "hone/base/kept_files.h"
#include "hone/base/process.h"
#include "hone/base/progress.h"
#include "hone/base/temporaries.h"
#include "hone/base/terminal.h"
#include "hone/cli/command_def.h"
#include "hone/report/document/writers.h"

namespace {

constexpr std::string_view kOutOfMemory = "hone: out of memory\n";

// What is made before main (operators, rules) takes memory, too, and nobody would catch what it throws.
[[gnu::constructor(101)]] void end_where_memory_ends_at_the_start() {
  std::set_new_handler([] {
    static_cast<void>(!write(STDERR_FILENO, kOutOfMemory.data(), kOutOfMemory.size()));
    _exit(static_cast<int>(hone::Exit::Resource));
  });
}

// With standard output closed, the next file that is opened would take its number, and what is
// printed would end up in that file.
void occupy_standard_files() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Reading only: what is printed to it fails and is reported.
    if (fcntl(number, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) return;
  }
}

// Ends the program as the signal would have, without leaving other programs or unfinished files behind.
void end_by(int signal) {
  hone::end_programs();
  hone::remove_temporaries();
  hone::clear_progress_line();
  if (signal == SIGINT) hone::tell_kept_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void clean_up_when_ended() {
  std::signal(SIGXFSZ, SIG_IGN);  // A file that would be too large is an error of its writer.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // What nohup ignores stays ignored.
    if (std::signal(signal, end_by) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(nullptr);
  occupy_standard_files();
  clean_up_when_ended();
  // Large buffers go back to the system as soon as they are freed: weights are packed one by one,
  // and glibc would keep the room of the originals for later.
  mallopt(M_MMAP_THRESHOLD, 256 * 1024);
  try {
    if (const auto columns = hone::terminal_columns(STDOUT_FILENO)) hone::use_text_width(*columns);
    return hone::run_cli({argv + 1, argv + argc}, std::cout, std::cerr);
  } catch (const std::bad_alloc&) {
    std::fputs(kOutOfMemory.data(), stderr);  // What prints otherwise needs some.
    return static_cast<int>(hone::Exit::Resource);
  }
}
