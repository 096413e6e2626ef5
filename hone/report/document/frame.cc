#include "hone/report/document/frame.h"

#include "hone/base/check.h"

namespace hone {

std::string fill_frame(std::string_view frame,
                       const std::vector<std::pair<std::string_view, std::string>>& marks) {
  std::string page;
  for (const auto& [mark, text] : marks) {
    const size_t at = frame.find(mark);
    HONE_CHECK(at != std::string_view::npos, "the page has no ", mark);
    page.append(frame.substr(0, at)).append(text);
    frame.remove_prefix(at + mark.size());
  }
  return page.append(frame);
}

}  // namespace hone
