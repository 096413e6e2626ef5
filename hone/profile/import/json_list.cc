#include "hone/profile/import/json_list.h"

#include <iterator>

#include "hone/profile/import/rows.h"

namespace hone {
namespace {

// Traces nest four deep: the list, the event, its arguments, a shape among them.
constexpr int kMaxListDepth = 16;

// Walks through text and counts the lines behind it.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, size_t* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  size_t* line_;
};

// A list that is the whole text, or stands under a key of the object that is.
class ListReader {
 public:
  ListReader(const std::function<Status(const Json&)>& take, std::string key)
      : take_(take), key_(std::move(key)) {}

  // Gives the text without what was taken.
  Result<Json> read(std::string_view text) {
    const auto watch = [this](int depth, Json::parse_event_t event, Json& json) {
      return see(depth, event, json);
    };
    const char* end = text.data() + text.size();
    try {
      Json rest =
          Json::parse(CountingIterator(text.data(), &line_), CountingIterator(end, &line_), watch);
      if (status_.ok() && !rest.is_array() && key_.empty()) {
        fail(str(rest.type_name(), ", expected a list"));
      }
      if (status_.ok() && !key_.empty() && !(rest.is_object() && rest.contains(key_))) {
        fail(str("no list '", key_, "'"));
      }
      if (status_.ok()) return rest;
    } catch (const Json::exception&) {
      if (status_.ok()) fail("not JSON, or cut off");
    }
    return std::move(status_).error();
  }

 private:
  // False: the parser need not keep it. Elements of the list end at depth 1, or below a key at 2.
  bool see(int depth, Json::parse_event_t event, Json& json) {
    using Event = Json::parse_event_t;
    if (!status_.ok()) return false;
    if (depth > kMaxListDepth) return fail(str("nests deeper than ", kMaxListDepth, " levels"));
    const bool begins = event == Event::object_start || event == Event::array_start;
    const bool root = depth == 0 && begins;
    if (root && (event == Event::object_start) == key_.empty()) {
      return fail(key_.empty() ? "object, expected a list" : "array, expected an object");
    }
    if (!key_.empty() && depth == 1 && event == Event::key) inside_ = json == key_;
    if (!key_.empty() && !inside_) return true;
    if (depth != (key_.empty() ? 1 : 2) || begins || event == Event::key) return true;
    if (event != Event::object_end) {
      return fail(str("an element is ", json.type_name(), ", expected an object"));
    }
    status_ = take_(json).in(str("line ", line_));
    return false;
  }

  bool fail(const std::string& why) {
    status_ = bad_input("line ", line_, ": ", why);
    return false;
  }

  const std::function<Status(const Json&)>& take_;
  const std::string key_;  // Empty: the list is all there is.
  bool inside_ = false;    // What stands under the key.
  size_t line_ = 1;
  Status status_ = Done{};
};

}  // namespace

Status for_each_object(std::string_view text, const std::function<Status(const Json&)>& take) {
  HONE_RETURN_IF_ERROR(ListReader(take, "").read(text));
  return Done{};
}

Result<Json> for_each_object_under(std::string_view text, std::string key,
                                   const std::function<Status(const Json&)>& take) {
  return ListReader(take, std::move(key)).read(text);
}

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Result<double> number_at(const Json& object, const char* key, double most) {
  const auto found = object.find(key);
  if (found == object.end()) return bad_input("no '", key, "', expected a number");
  if (found->is_string()) return parse_number(found->get<std::string>(), key, most);
  if (found->is_number()) {
    const auto value = found->get<double>();
    if (value >= 0 && value <= most) return value;
  }
  return parse_number(found->dump(-1, ' ', true, Json::error_handler_t::replace), key, most);
}

Result<double> number_or_zero(const Json& object, const char* key, double most) {
  if (!object.is_object() || !object.contains(key)) return 0.0;
  return number_at(object, key, most);
}

}  // namespace hone
