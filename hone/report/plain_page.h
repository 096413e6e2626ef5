// An HTML file that loads nothing and has no script: a heading, and sections below it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// All of it HTML already.
struct PlainPage {
  std::string title = {};
  std::string heading = {};
  std::string below = {};  // The heading.
  std::string body = {};
};
std::string html_page(const PlainPage& page);

// Empty without a body.
std::string html_section(const std::string& title, const std::string& body);

// Of plain text.
std::string html_list(const std::vector<std::string>& lines);

}  // namespace hone
