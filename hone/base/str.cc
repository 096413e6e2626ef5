#include "hone/base/str.h"

#include <sstream>

namespace hone {

std::string write_parts(std::initializer_list<TextPart> parts) {
  std::ostringstream out;
  for (const TextPart& part : parts) part.write(out, part.value);
  return std::move(out).str();
}

}  // namespace hone
