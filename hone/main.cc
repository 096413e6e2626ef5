#include <malloc.h>

#include <iostream>

#include "hone/cli/command_def.h"

int main(int argc, char** argv) {
  // Large buffers go back to the system as soon as they are freed: weights are packed one by one,
  // and glibc would keep the room of the originals for later.
  mallopt(M_MMAP_THRESHOLD, 256 * 1024);
  return hone::run_cli({argv + 1, argv + argc}, std::cout, std::cerr);
}
