// The JSON Schema of a struct, from the list of fields that its JSON is written and read by: neither
// can know a key that the other does not.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "hone/profile/json_fields.h"

namespace hone {

// Of a struct that says its fields, a number, a text, and lists and options of those.
template <class T>
Json schema_of();

class JsonSchemaFields {
 public:
  template <class T>
  void operator()(const char* key, T&) {
    json["properties"][key] = schema_of<T>();
    if (!is_optional(static_cast<T*>(nullptr))) json["required"].push_back(key);
  }

  Json json = {{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};

 private:
  template <class T>
  static constexpr bool is_optional(T*) {
    return false;
  }
  template <class T>
  static constexpr bool is_optional(std::optional<T>*) {
    return true;
  }
};

inline Json schema_of_mode() {
  Json words = Json::array();
  for (const Mode mode : {Mode::Exact, Mode::Measured, Mode::Emulated, Mode::Simulated,
                          Mode::Predicted, Mode::Given}) {
    words.push_back(mode_name(mode));
  }
  return {{"enum", std::move(words)}};
}

// What a list or an option holds.
template <class T>
struct Held;
template <class T>
struct Held<std::optional<T>> {
  static Json schema() { return {{"anyOf", {schema_of<T>(), {{"type", "null"}}}}}; }
};
template <class T>
struct Held<std::vector<T>> {
  static Json schema() { return {{"type", "array"}, {"items", schema_of<T>()}}; }
};
template <class T>
struct Held<std::map<std::string, T>> {
  static Json schema() { return {{"type", "object"}, {"additionalProperties", schema_of<T>()}}; }
};

template <class T>
Json schema_of() {
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, StepFamily> ||
                std::is_same_v<T, Arithmetic>) {
    return {{"type", "string"}};
  } else if constexpr (std::is_same_v<T, Mode>) {
    return schema_of_mode();
  } else if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_integral_v<T>) {
    return {{"type", "integer"}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {{"type", {"number", "null"}}};  // What is no finite number is null in JSON.
  } else if constexpr (requires { Held<T>::schema(); }) {
    return Held<T>::schema();
  } else {
    T value{};
    JsonSchemaFields fields;
    visit_fields(fields, value);
    return std::move(fields.json);
  }
}

// The same of a result, whose JSON begins with its kind.
template <class T>
Json result_schema_of(const char* kind) {
  Json schema = schema_of<T>();
  schema["properties"]["kind"] = {{"const", kind}};
  Json& required = schema["required"];
  if (std::ranges::find(required, Json("kind")) == required.end()) required.push_back("kind");
  return schema;
}

// Keys that are left out where there is nothing to tell.
inline void leave_open(Json& schema, std::initializer_list<std::string_view> keys) {
  Json required = Json::array();
  for (const Json& key : schema["required"]) {
    const auto name = key.get<std::string>();
    if (std::ranges::find(keys, name) == keys.end()) required.push_back(name);
  }
  schema["required"] = std::move(required);
}

}  // namespace hone
