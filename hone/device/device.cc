#include "hone/device/device.h"

#include <limits>
#include <set>

#include "hone/base/peek_file.h"
#include "hone/device/device_fields.h"
#include "hone/device/toml_text.h"

namespace hone {
namespace {

constexpr int64_t kSchemaVersion = 1;

// Fills the fields from a table; the first error is kept, and nothing is read after it.
class DeviceReader {
 public:
  explicit DeviceReader(const TomlSection& in) : in_(in) {}

  // What went wrong, a key that no field asked for included.
  Status finish() const {
    if (!status_.ok()) return status_;
    return in_.no_other_keys();
  }

  void text(std::string_view key, std::string& value) { take(in_.text(key), value); }
  void one_of(std::string_view key, std::string& value, std::span<const std::string_view> words) {
    take(in_.one_of(key, words), value);
  }
  void flag(std::string_view key, bool& value, Need need = Need::Required) {
    if (wanted(key, need)) take(in_.flag(key), value);
  }
  void positive(std::string_view key, double& value, double scale) {
    take(in_.positive(key), value);
    value *= scale;
  }
  void maybe_positive(std::string_view key, std::optional<double>& value) {
    if (wanted(key, Need::Optional)) take(in_.positive(key), value);
  }
  void number(std::string_view key, double& value, double least, Need need = Need::Required) {
    if (wanted(key, need)) take(in_.number_from(key, least), value);
  }
  void part(std::string_view key, double& value, Need need = Need::Required) {
    if (wanted(key, need)) take(in_.part(key), value);
  }
  template <class Int>
  void count(std::string_view key, Int& value, int64_t least, Need need = Need::Required) {
    if (wanted(key, need)) take(in_.count(key, least, std::numeric_limits<int>::max()), value);
  }
  // Of which several are multiplied with one another.
  void extent(std::string_view key, int& value, Need need = Need::Required) {
    if (wanted(key, need)) take(in_.count(key, 1, 1 << 16), value);
  }
  void size(int64_t& bytes) { take(in_.size(), bytes); }
  void words(std::string_view key, std::set<std::string, std::less<>>& value,
             std::span<const std::string_view> words, std::string_view what,
             Need need = Need::Required) {
    if (wanted(key, need)) take(in_.words_of(key, words, what), value);
  }

  template <class Enum, size_t kCount>
  void choice(std::string_view key, Enum& value, const Word<Enum> (&words)[kCount]) {
    std::vector<std::string_view> names;
    for (const Word<Enum>& word : words) names.push_back(word.name);
    std::string chosen;
    take(in_.one_of(key, names), chosen);
    for (const Word<Enum>& word : words) {
      if (word.name == chosen) value = word.value;
    }
  }

  // The place of a name among others.
  void index(std::string_view key, int& value, const std::vector<std::string>& names, Need need) {
    if (!wanted(key, need)) return;
    const std::vector<std::string_view> views(names.begin(), names.end());
    std::string name;
    take(in_.one_of(key, views), name);
    value = static_cast<int>(std::ranges::find(names, name) - names.begin());
  }

  template <class T>
  void section(std::string_view key, T& value) {
    if (!status_.ok()) return;
    const Result<TomlSection> inner = in_.section(key);
    if (!inner.ok()) {
      status_ = inner.error();
    } else {
      read(*inner, value);
    }
  }
  template <class T>
  void maybe_section(std::string_view key, std::optional<T>& value) {
    if (wanted(key, Need::Optional)) section(key, value.emplace());
  }
  template <class T>
  void list(std::string_view key, std::vector<T>& values, Need need) {
    if (!wanted(key, need)) return;
    const Result<std::vector<TomlSection>> sections = in_.sections(key);
    if (!sections.ok()) {
      status_ = sections.error();
      return;
    }
    if (sections->empty()) status_ = in_.expected(key, "at least one table");
    for (const TomlSection& section : *sections) read(section, values.emplace_back());
  }

  // Numbers by name, of which the first must be there unless the table itself may be missing.
  void table(std::string_view key, std::map<std::string, double, std::less<>>& values,
             std::span<const std::string_view> names, double scale, Need need = Need::Required) {
    if (!wanted(key, need)) return;
    NumberTable numbers{values, names, scale, need};
    section(key, numbers);
  }
  // Parts of 1 by name, all of them.
  void parts(std::string_view key, std::map<std::string, double, std::less<>>& values,
             std::span<const std::string_view> names) {
    PartTable parts{values, names};
    section(key, parts);
  }

 private:
  struct NumberTable {
    std::map<std::string, double, std::less<>>& values;
    std::span<const std::string_view> names;
    double scale;
    Need need;
  };
  struct PartTable {
    std::map<std::string, double, std::less<>>& values;
    std::span<const std::string_view> names;
  };
  friend void fields(DeviceReader& io, NumberTable& table) {
    for (const std::string_view name : table.names) {
      const bool first = name == table.names.front() && table.need == Need::Required;
      if (!first && !io.wanted(name, Need::Optional)) continue;
      io.positive(name, table.values[std::string(name)], table.scale);
    }
  }
  friend void fields(DeviceReader& io, PartTable& table) {
    for (const std::string_view name : table.names) {
      io.part(name, table.values[std::string(name)]);
    }
  }

  bool wanted(std::string_view key, Need need) const {
    return status_.ok() && (need == Need::Required || in_.has(key));
  }

  template <class From, class To>
  void take(Result<From> from, To& to) {
    if (!status_.ok()) return;
    if (!from.ok()) {
      status_ = std::move(from).error();
    } else {
      to = static_cast<To>(*std::move(from));
    }
  }

  template <class T>
  void read(const TomlSection& in, T& value) {
    if (!status_.ok()) return;
    DeviceReader reader(in);
    fields(reader, value);
    status_ = reader.finish();
  }

  const TomlSection& in_;
  Status status_ = Done{};
};

bool is_name(std::string_view name) {
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") ==
                              std::string_view::npos;
}

Result<Device> read_fields(const TomlSection& in, const std::string& file) {
  HONE_TRY(const int64_t schema,
           in.count("schema_version", 1, std::numeric_limits<int64_t>::max()));
  if (schema > kSchemaVersion) {
    return unsupported(file, ": schema_version ", schema, " is newer than ", kSchemaVersion,
                       ", the newest this version of hone reads");
  }
  Device device;
  DeviceReader reader(in);
  fields(reader, device);
  HONE_RETURN_IF_ERROR(reader.finish());
  if (!is_name(device.name)) {
    return in.expected("name", "small letters, digits, '-', '_' and '.'");
  }
  return device;
}

}  // namespace

Result<Device> parse_device(std::string_view text, const std::string& file) {
  return parse_toml(text, file, [&](const TomlSection& in) { return read_fields(in, file); });
}

Result<Device> read_device(const std::filesystem::path& path) {
  HONE_TRY(const std::string text, read_text(path));
  return parse_device(text, path.string());
}

}  // namespace hone
