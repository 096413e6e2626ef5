#include <fmt/format.h>

#include <span>

#include "hone/device/device_fields.h"

namespace hone {
namespace {

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

// Twelve digits: what a change of units rounds is not seen.
std::string written(double value) {
  return fmt::format("{:.12g}", value);
}

// Writes the fields as lines of a file. A table's own keys come before the tables in it, as TOML
// wants it.
class DeviceWriter {
 public:
  // `way` leads to the table: "vector.", "" for the whole file.
  explicit DeviceWriter(std::string way = "") : way_(std::move(way)) {}

  std::string result() const { return keys_ + tables_; }

  void text(std::string_view key, const std::string& value) { line(key, toml_text(value)); }
  void one_of(std::string_view key, const std::string& value, std::span<const std::string_view>) {
    text(key, value);
  }
  void flag(std::string_view key, bool value, Need = Need::Required) {
    line(key, value ? "true" : "false");
  }
  void positive(std::string_view key, double value, double scale) {
    line(key, written(value / scale));
  }
  void maybe_positive(std::string_view key, const std::optional<double>& value) {
    if (value) line(key, written(*value));
  }
  void number(std::string_view key, double value, double, Need = Need::Required) {
    line(key, written(value));
  }
  void part(std::string_view key, double value, Need = Need::Required) {
    line(key, written(value));
  }
  void count(std::string_view key, int64_t value, int64_t, Need = Need::Required) {
    line(key, str(value));
  }
  void extent(std::string_view key, int value, Need = Need::Required) { line(key, str(value)); }
  void size(int64_t bytes) { line("bytes", str(bytes)); }
  void words(std::string_view key, const std::set<std::string, std::less<>>& value,
             std::span<const std::string_view>, std::string_view, Need need = Need::Required) {
    if (value.empty() && need == Need::Optional) return;
    std::vector<std::string> list;
    for (const std::string& word : value) list.push_back(toml_text(word));
    line(key, str("[", join(list), "]"));
  }

  template <class Enum, size_t kCount>
  void choice(std::string_view key, Enum value, const Word<Enum> (&words)[kCount]) {
    for (const Word<Enum>& word : words) {
      if (word.value == value) line(key, toml_text(word.name));
    }
  }
  void index(std::string_view key, int value, const std::vector<std::string>& names, Need) {
    line(key, toml_text(names[static_cast<size_t>(value)]));
  }

  template <class T>
  void section(std::string_view key, T& value) {
    add("[", key, "]", value);
  }
  template <class T>
  void maybe_section(std::string_view key, std::optional<T>& value) {
    if (value) section(key, *value);
  }
  template <class T>
  void list(std::string_view key, std::vector<T>& values, Need) {
    for (T& value : values) add("[[", key, "]]", value);
  }
  void table(std::string_view key, const std::map<std::string, double, std::less<>>& values,
             std::span<const std::string_view>, double scale, Need = Need::Required) {
    if (values.empty()) return;
    tables_ += str("\n[", way_, key, "]\n");
    for (const auto& [name, value] : values) {
      tables_ += str(name, " = ", written(value / scale), "\n");
    }
  }
  void parts(std::string_view key, const std::map<std::string, double, std::less<>>& values,
             std::span<const std::string_view> names) {
    table(key, values, names, 1);
  }

 private:
  void line(std::string_view key, std::string_view value) { keys_ += str(key, " = ", value, "\n"); }

  template <class T>
  void add(const char* before, std::string_view key, const char* after, T& value) {
    DeviceWriter inner(str(way_, key, "."));
    fields(inner, value);
    tables_ += str("\n", before, way_, key, after, "\n", inner.result());
  }

  std::string way_;
  std::string keys_ = {};
  std::string tables_ = {};
};

}  // namespace

std::string device_text(const Device& device) {
  DeviceWriter writer;
  Device copy = device;
  fields(writer, copy);
  return "schema_version = 1\n" + writer.result();
}

}  // namespace hone
