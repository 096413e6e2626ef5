#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// A layer's name for a table. Names of TFLite files can be lists of everything that was merged,
// joined by ';', of 600 characters and more: the first one stands for them. What is still too long
// loses its middle. Result files keep the names as they are.
std::string short_name(const std::string& name, size_t width = 56);

// The same of names that stand below each other: those that differ stay apart, by what they differ in or, where
// that is not enough, by numbers.
std::vector<std::string> short_names(const std::vector<std::string>& names, size_t width = 56);

// At most `width` bytes of it, "..." for the rest: "features.2.conv...0.BatchNorm".
std::string without_middle(std::string_view text, size_t width);

// A sentence with the names that stand in it in quotes shortened.
std::string with_short_names(const std::string& text);

}  // namespace hone
