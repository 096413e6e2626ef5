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

std::string json_for_script(std::string_view json) {
  std::string text;
  text.reserve(json.size() + json.size() / 64);
  for (size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i);
    if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
      text += rest[2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (json[i] == '<') {
      text += "\\u003c";  // In JSON, < stands only inside text, where this is the same.
    } else {
      text += json[i];
    }
  }
  return text;
}

}  // namespace hone
