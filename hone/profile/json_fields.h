// Structs to JSON and back from one list of fields.
//
// A struct says its fields once, in a function
//   template <class Fields> void visit_fields(Fields& f, Thing& t) { f("name", t.name); ... }
// and both directions walk that list.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/json_text.h"
#include "hone/base/metric.h"
#include "hone/base/result.h"
#include "hone/targets/step_kind.h"

namespace hone {

using Json = nlohmann::ordered_json;

struct JsonWriter {
  Json json = Json::object();

  template <class T>
  void operator()(const char* key, T& field) {
    json[key] = write(field);
  }

  static Json write(Metric& metric) { return metric; }
  static Json write(Mode& mode) { return mode_name(mode); }
  static Json write(StepFamily& family) { return name_of(family); }
  static Json write(Arithmetic& arithmetic) { return name_of(arithmetic); }
  template <class T>
  static Json write(std::optional<T>& field) {
    return field ? write(*field) : Json();
  }
  template <class T>
  static Json write(std::vector<T>& fields) {
    Json list = Json::array();
    for (T& field : fields) list.push_back(write(field));
    return list;
  }
  template <class T>
  static Json write(std::map<std::string, T>& fields) {
    Json object = Json::object();
    for (auto& [key, field] : fields) object[key] = write(field);
    return object;
  }
  template <class T>
  static Json write(T& field) {
    if constexpr (std::is_class_v<T> && !std::is_same_v<std::remove_const_t<T>, std::string>) {
      JsonWriter writer;
      visit_fields(writer, field);
      return std::move(writer.json);
    } else {
      return field;
    }
  }
};

// Fields that the file leaves out keep their value: older files stay readable. A field of another
// type ends the reading with `error`.
class JsonReader {
 public:
  JsonReader(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  template <class T>
  void operator()(const char* key, T& field) {
    if (!error.empty() || !json_.contains(key)) return;
    read(json_[key], path_ + "." + key, field);
  }

  std::string error;  // "results.steps[3].us is text, expected a number".

 private:
  void expect(bool right, const Json& json, const std::string& path, const char* expected) {
    if (!right) error = path + " is " + json.type_name() + ", expected " + expected;
  }

  void read(const Json& json, const std::string& path, std::string& field) {
    expect(json.is_string(), json, path, "text");
    if (error.empty()) field = json.get<std::string>();
  }
  void read(const Json& json, const std::string& path, bool& field) {
    expect(json.is_boolean(), json, path, "true or false");
    if (error.empty()) field = json.get<bool>();
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void read(const Json& json, const std::string& path, T& field) {
    expect(json.is_number(), json, path, "a number");
    if (error.empty()) field = json.get<T>();
  }
  template <class T>
  void read(const Json& json, const std::string& path, std::optional<T>& field) {
    field.reset();
    if (!json.is_null()) read(json, path, field.emplace());
  }
  template <class T>
  void read(const Json& json, const std::string& path, std::vector<T>& field) {
    expect(json.is_array(), json, path, "a list");
    field.clear();
    for (size_t i = 0; error.empty() && i < json.size(); ++i) {
      read(json[i], path + "[" + std::to_string(i) + "]", field.emplace_back());
    }
  }
  template <class T>
  void read(const Json& json, const std::string& path, std::map<std::string, T>& field) {
    expect(json.is_object(), json, path, "an object");
    field.clear();
    if (!error.empty()) return;
    for (const auto& [key, value] : json.items()) {
      if (error.empty()) read(value, path + "." + key, field[key]);
    }
  }
  void read(const Json& json, const std::string& path, Mode& field) {
    for (const Mode mode : {Mode::Exact, Mode::Measured, Mode::Emulated, Mode::Simulated,
                            Mode::Predicted, Mode::Given}) {
      if (json == mode_name(mode)) {
        field = mode;
        return;
      }
    }
    error = path + " is " + json_text(json) +
            ", expected exact, measured, emulated, simulated, predicted or given";
  }
  void read(const Json& json, const std::string& path, StepFamily& field) {
    read_name(json, path, family_named, "a family of steps", field);
  }
  void read(const Json& json, const std::string& path, Arithmetic& field) {
    read_name(json, path, arithmetic_named, "a precision", field);
  }
  template <class T, class Named>
  void read_name(const Json& json, const std::string& path, const Named& named,
                 const char* expected, T& field) {
    const std::optional<T> value =
        json.is_string() ? named(json.get<std::string>()) : std::optional<T>();
    if (value) {
      field = *value;
    } else {
      error = path + " is " + json_text(json) + ", expected " + expected;
    }
  }
  template <class T>
  requires std::is_class_v<T>
  void read(const Json& json, const std::string& path, T& field) {
    expect(json.is_object(), json, path, "an object");
    if (!error.empty()) return;
    JsonReader reader(json, path);
    visit_fields(reader, field);
    error = std::move(reader.error);
  }

  const Json& json_;
  std::string path_;
};

// A struct that says its fields, of the object at `path`; a field without a key keeps its default.
// BadInput names the key that is of another type.
template <class T>
Result<T> read_fields(const Json& json, const std::string& path = "results") {
  T value{};
  JsonReader reader(json, path);
  visit_fields(reader, value);
  if (!reader.error.empty()) return bad_input(reader.error);
  return value;
}

template <class Fields>
void visit_fields(Fields& f, Metric& m) {
  f("name", m.name);
  f("value", m.value);
  f("unit", m.unit);
  f("mode", m.mode);
  f("n", m.n);
  f("low", m.low);
  f("high", m.high);
  f("note", m.note);
}

}  // namespace hone
