#include <algorithm>
#include <limits>

#include "hone/device/device_format.h"
#include "hone/device/toml_text.h"

namespace hone {
namespace {

constexpr int64_t kDeviceReadSchemaVersion = 1;
constexpr double kMostNumber = 1e18;

// Fills the fields from a table; the first error is kept, and nothing is read after it.
class DeviceReader final : public DeviceIo {
 public:
  explicit DeviceReader(const TomlSection& in) : in_(in) {}

  // What went wrong, a key that no field asked for included.
  Status finish() const {
    if (!status_.ok()) return status_;
    return in_.no_other_keys();
  }

  using DeviceIo::count;
  void text(std::string_view key, std::string& value) override { take(in_.text(key), value); }
  void maybe_text(std::string_view key, std::string& value) override {
    if (wanted(key, Need::Optional)) take(in_.text(key), value);
  }
  void one_of(std::string_view key, std::string& value, Words words, Need need) override {
    if (wanted(key, need)) take(in_.one_of(key, words), value);
  }
  void flag(std::string_view key, bool& value, Need need) override {
    if (wanted(key, need)) take(in_.flag(key), value);
  }
  void positive(std::string_view key, double& value, double scale) override {
    take(in_.positive(key), value);
    value *= scale;
  }
  void maybe_positive(std::string_view key, std::optional<double>& value, double least) override {
    if (!wanted(key, Need::Optional)) return;
    take(least > 0 ? in_.number_from(key, least) : in_.positive(key), value);
  }
  void number(std::string_view key, double& value, double least, Need need) override {
    if (wanted(key, need)) take(in_.number_from(key, least), value);
  }
  void number_in(std::string_view key, double& value, double least, double most) override {
    take(in_.number_in(key, least, most), value);
  }
  void part(std::string_view key, double& value, Need need) override {
    if (wanted(key, need)) take(in_.part(key), value);
  }
  void count(std::string_view key, int64_t& value, int64_t least, Need need) override {
    if (wanted(key, need)) take(in_.count(key, least, std::numeric_limits<int>::max()), value);
  }
  void zero_or(std::string_view key, double& value, double least, double most) override {
    if (!wanted(key, Need::Optional)) return;
    const Result<double> read = in_.number_in(key, 0, most);
    if (read.ok() && (*read == 0 || *read >= least)) {
      value = *read;
    } else {
      status_ = in_.expected(key, str("0, or a number from ", least, " to ", most));
    }
  }
  void few(std::string_view key, int64_t& value, int64_t least, int64_t most) override {
    if (wanted(key, Need::Optional)) take(in_.count(key, least, most), value);
  }
  void extent(std::string_view key, int& value, Need need) override {
    if (wanted(key, need)) take(in_.count(key, 1, 1 << 16), value);
  }
  void size(int64_t& bytes) override { take(in_.size(), bytes); }
  void words(std::string_view key, WordSet& value, Words words, std::string_view what,
             Need need) override {
    if (wanted(key, need)) take(in_.words_of(key, words, what), value);
  }
  void table(std::string_view key, NumberMap& values, Words names, double scale,
             Need need) override {
    if (!wanted(key, need)) return;
    read_section(key, [&](DeviceReader& io) {
      for (const std::string_view name : names) {
        const bool first = name == names.front() && need == Need::Required;
        if (first || io.wanted(name, Need::Optional)) {
          io.positive(name, values[std::string(name)], scale);
        }
      }
    });
  }
  void numbers(std::string_view key, std::vector<double>& values, size_t count) override {
    take(in_.list(key, 0, kMostNumber), values);
    if (status_.ok() && values.size() != count) status_ = in_.expected(key, str(count, " numbers"));
  }
  void parts(std::string_view key, NumberMap& values, Words names) override {
    read_section(key, [&](DeviceReader& io) {
      for (const std::string_view name : names) {
        io.part(name, values[std::string(name)], Need::Required);
      }
    });
  }

 private:
  void in_section(std::string_view key, const Inside& inside) override {
    read_section(key, inside);
  }
  void maybe_in_section(std::string_view key, bool, const Inside& inside) override {
    if (wanted(key, Need::Optional)) read_section(key, inside);
  }
  void in_sections(std::string_view key, size_t, Need need, const InsideOf& inside) override {
    if (!wanted(key, need)) return;
    const Result<std::vector<TomlSection>> sections = in_.sections(key);
    if (!sections.ok()) {
      status_ = sections.error();
      return;
    }
    if (sections->empty()) status_ = in_.expected(key, "at least one table");
    for (size_t i = 0; i < sections->size(); ++i) {
      read((*sections)[i], [&](DeviceIo& io) { inside(i, io); });
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

  template <class Inner>
  void read_section(std::string_view key, const Inner& inside) {
    if (!status_.ok()) return;
    const Result<TomlSection> inner = in_.section(key);
    if (!inner.ok()) {
      status_ = inner.error();
    } else {
      read(*inner, inside);
    }
  }

  template <class Inner>
  void read(const TomlSection& in, const Inner& inside) {
    if (!status_.ok()) return;
    DeviceReader reader(in);
    inside(reader);
    status_ = reader.finish();
  }

  const TomlSection& in_;
  Status status_ = Done{};
};

bool is_name(std::string_view name) {
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") ==
                              std::string_view::npos;
}

Result<Device> read_fields(const TomlSection& in, const std::string& file, SpecFormats kinds) {
  HONE_TRY(const int64_t schema,
           in.count("schema_version", 1, std::numeric_limits<int64_t>::max()));
  if (schema > kDeviceReadSchemaVersion) {
    return unsupported(file, ": schema_version ", schema, " is newer than ",
                       kDeviceReadSchemaVersion, ", the newest this version of hone reads");
  }
  Device device;
  DeviceReader reader(in);
  fields(reader, device, kinds);
  HONE_RETURN_IF_ERROR(reader.finish());
  if (!is_name(device.name)) {
    return in.expected("name", "small letters, digits, '-', '_' and '.'");
  }
  return device;
}

// As what `hone targets cpu` prints.
bool is_all_comments(std::string_view text) {
  bool comment = false;
  return std::ranges::all_of(text, [&](char c) {
    comment = c == '#' || (comment && c != '\n');
    return comment || c == ' ' || c == '\t' || c == '\r' || c == '\n';
  });
}

}  // namespace

Result<Device> parse_device(std::string_view text, const std::string& file, SpecFormats kinds) {
  if (is_all_comments(text)) {
    return bad_input(file, ": holds no device, expected a name, a kind and figures");
  }
  return parse_toml(text, file,
                    [&](const TomlSection& in) { return read_fields(in, file, kinds); });
}

}  // namespace hone
