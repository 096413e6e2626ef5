#include <fmt/format.h>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/device/device_format.h"
#include "hone/device/toml_quoted.h"

namespace hone {
namespace {

// Twelve digits: what a change of units rounds is not seen.
std::string written(double value) {
  return fmt::format("{:.12g}", value);
}

// Writes the fields as lines of a file. A table's own keys come before the tables in it, as TOML
// wants it.
class DeviceWriter final : public DeviceIo {
 public:
  // `way` leads to the table: "vector.", "" for the whole file.
  explicit DeviceWriter(std::string way = "") : way_(std::move(way)) {}

  std::string result() const { return keys_ + tables_; }

  using DeviceIo::count;
  void text(std::string_view key, std::string& value) override { line(key, toml_quoted(value)); }
  void maybe_text(std::string_view key, std::string& value) override {
    if (!value.empty()) text(key, value);
  }
  void one_of(std::string_view key, std::string& value, Words, Need need) override {
    if (!value.empty() || need == Need::Required) text(key, value);
  }
  void flag(std::string_view key, bool& value, Need) override {
    line(key, value ? "true" : "false");
  }
  void positive(std::string_view key, double& value, double scale) override {
    line(key, written(value / scale));
  }
  void maybe_positive(std::string_view key, std::optional<double>& value, double) override {
    if (value) line(key, written(*value));
  }
  void number(std::string_view key, double& value, double, Need) override {
    line(key, written(value));
  }
  void number_in(std::string_view key, double& value, double, double) override {
    line(key, written(value));
  }
  void part(std::string_view key, double& value, Need) override { line(key, written(value)); }
  void count(std::string_view key, int64_t& value, int64_t, Need) override {
    line(key, str(value));
  }
  void zero_or(std::string_view key, double& value, double, double) override {
    line(key, written(value));
  }
  void few(std::string_view key, int64_t& value, int64_t, int64_t) override {
    line(key, str(value));
  }
  void extent(std::string_view key, int& value, Need) override { line(key, str(value)); }
  void size(int64_t& bytes) override { line("bytes", str(bytes)); }
  void words(std::string_view key, WordSet& value, Words, std::string_view, Need need) override {
    if (value.empty() && need == Need::Optional) return;
    std::vector<std::string> list;
    for (const std::string& word : value) list.push_back(toml_quoted(word));
    line(key, str("[", join(list), "]"));
  }
  void table(std::string_view key, NumberMap& values, Words, double scale, Need) override {
    if (values.empty()) return;
    tables_ += str("\n[", way_, key, "]\n");
    for (const auto& [name, value] : values) {
      tables_ += str(name, " = ", written(value / scale), "\n");
    }
  }
  void numbers(std::string_view key, std::vector<double>& values, size_t) override {
    std::vector<std::string> list;
    for (const double value : values) list.push_back(written(value));
    line(key, str("[", join(list), "]"));
  }
  void parts(std::string_view key, NumberMap& values, Words names) override {
    table(key, values, names, 1, Need::Required);
  }

 private:
  void in_section(std::string_view key, const Inside& inside) override {
    add("[", key, "]", inside);
  }
  void maybe_in_section(std::string_view key, bool there, const Inside& inside) override {
    if (there) in_section(key, inside);
  }
  void in_sections(std::string_view key, size_t count, Need, const InsideOf& inside) override {
    for (size_t i = 0; i < count; ++i) {
      add("[[", key, "]]", [&](DeviceIo& io) { inside(i, io); });
    }
  }

  void line(std::string_view key, std::string_view value) { keys_ += str(key, " = ", value, "\n"); }

  void add(const char* before, std::string_view key, const char* after, const Inside& inside) {
    DeviceWriter inner(str(way_, key, "."));
    inside(inner);
    tables_ += str("\n", before, way_, key, after, "\n", inner.result());
  }

  std::string way_;
  std::string keys_ = {};
  std::string tables_ = {};
};

}  // namespace

std::string device_text(const Device& device, SpecFormats kinds) {
  DeviceWriter writer;
  Device copy = device;
  fields(writer, copy, kinds);
  return "schema_version = 1\n" + writer.result();
}

}  // namespace hone
