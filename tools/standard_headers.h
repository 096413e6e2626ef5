// What the test `headers` parses once for all headers instead of once for each: two thirds of its
// time went there. tools/check_standard_includes.py then sees to it that who uses their names
// includes them.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>
