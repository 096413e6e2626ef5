#include <iostream>

#include "hone/cli/command_def.h"

int main(int argc, char** argv) {
  return hone::run_cli({argv + 1, argv + argc}, std::cout, std::cerr);
}
