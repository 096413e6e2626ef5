// Lists of JSON objects, element by element: a trace of a million events needs the memory of one.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "hone/base/result.h"

namespace hone {

using Json = nlohmann::ordered_json;

// Hands every object of the list to `take`, in order. BadInput says "line N: ", of the end of the
// object at fault: when the text is no list of objects, is cut off, or `take` gives an error.
Status for_each_object(std::string_view text, const std::function<Status(const Json&)>& take);

// The same of a list that stands under a key of the object that the text is. Gives the object
// without the list's elements.
Result<Json> for_each_object_under(std::string_view text, std::string key,
                                   const std::function<Status(const Json&)>& take);

// Text under a key, or "" where there is none.
std::string text_at(const Json& object, const char* key);

// A number from 0 to `most` under a key, also one that is written as text. BadInput names the key.
Result<double> number_at(const Json& object, const char* key, double most);

// The same, 0 where the key is missing.
Result<double> number_or_zero(const Json& object, const char* key, double most);

}  // namespace hone
