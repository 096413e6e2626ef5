// The options of builtin operators on their way out. flatc tells the fields of every table by name
// and type, so that one function writes them all.

#include <algorithm>
#include <cctype>

#include "hone/wire/tflite_builder.h"

namespace hone {
namespace {

namespace fb = flatbuffers;
namespace tfl = hone_tflite;

// Operators whose table is not named after them.
struct SharedTable {
  std::string_view op;
  std::string_view table;
};
constexpr SharedTable kSharedTables[] = {
    {"AVERAGE_POOL_2D", "Pool2DOptions"},
    {"MAX_POOL_2D", "Pool2DOptions"},
    {"L2_POOL_2D", "Pool2DOptions"},
    {"MEAN", "ReducerOptions"},
    {"SUM", "ReducerOptions"},
    {"REDUCE_PROD", "ReducerOptions"},
    {"REDUCE_MAX", "ReducerOptions"},
    {"REDUCE_MIN", "ReducerOptions"},
    {"REDUCE_ANY", "ReducerOptions"},
    {"REDUCE_ALL", "ReducerOptions"},
    {"L2_NORMALIZATION", "L2NormOptions"},
    {"MAXIMUM", "MaximumMinimumOptions"},
    {"MINIMUM", "MaximumMinimumOptions"},
    {"CONV_3D_TRANSPOSE", "Conv3DOptions"},
    {"UNIDIRECTIONAL_SEQUENCE_RNN", "SequenceRNNOptions"},
    {"RANDOM_UNIFORM", "RandomOptions"},
    {"RANDOM_STANDARD_NORMAL", "RandomOptions"},
    {"MULTINOMIAL", "RandomOptions"},
};

// "conv2doptions" of CONV_2D and of Conv2DOptions.
std::string plain_letters(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

// The member of the union of options that an operator has; 0 when it has none.
size_t options_member(const std::string& op) {
  std::string wanted = plain_letters(op) + "options";
  const auto* shared = std::ranges::find(kSharedTables, op, &SharedTable::op);
  if (shared != std::end(kSharedTables)) wanted = plain_letters(shared->table);
  const fb::TypeTable& members = *tfl::BuiltinOptionsTypeTable();
  for (size_t i = 1; i < members.num_elems; ++i) {
    if (plain_letters(members.names[i]) == wanted) return i;
  }
  return 0;
}

struct Field {
  const fb::TypeTable* table;
  size_t index;

  fb::TypeCode code() const { return table->type_codes[index]; }
  fb::voffset_t place() const { return fb::FieldIndexToOffset(static_cast<fb::voffset_t>(index)); }
  // Of an enumeration; null for a plain number.
  const fb::TypeTable* names() const {
    return code().sequence_ref < 0 ? nullptr : table->type_refs[code().sequence_ref]();
  }
};

std::optional<Field> field_named(const fb::TypeTable& table, const std::string& name) {
  for (size_t i = 0; i < table.num_elems; ++i) {
    if (name == table.names[i]) return Field{&table, i};
  }
  return std::nullopt;
}

// The number that an enumeration has for a name; element types go by Hone's names.
Result<int64_t> number_named(const fb::TypeTable& names, const std::string& name) {
  if (&names == tfl::TensorTypeTypeTable()) {
    const std::optional<DType> dtype = dtype_named(name);
    if (!dtype) return unsupported("element type '", name, "'");
    HONE_TRY(const tfl::TensorType type, dtype_to_tflite(*dtype));
    return static_cast<int64_t>(type);
  }
  for (size_t i = 0; i < names.num_elems; ++i) {
    if (name == names.names[i]) {
      return names.values == nullptr ? static_cast<int64_t>(i) : names.values[i];
    }
  }
  return unsupported("unknown value '", name, "'");
}

Result<int64_t> whole_number(const Field& field, const TfliteOption& option) {
  if (const auto* integer = std::get_if<int64_t>(&option)) return *integer;
  if (const auto* flag = std::get_if<bool>(&option)) return int64_t{*flag};
  const auto* name = std::get_if<std::string>(&option);
  if (name == nullptr || field.names() == nullptr) return bad_input("is no whole number");
  return number_named(*field.names(), *name);
}

Status add_number(fb::FlatBufferBuilder& builder, const Field& field, const TfliteOption& option) {
  if (field.code().base_type == fb::ET_FLOAT) {
    const auto* real = std::get_if<double>(&option);
    if (real == nullptr) return bad_input("is no number");
    builder.AddElement(field.place(), static_cast<float>(*real));
    return Done{};
  }
  HONE_TRY(const int64_t number, whole_number(field, option));
  switch (field.code().base_type) {
    case fb::ET_BOOL:
    case fb::ET_CHAR:
    case fb::ET_UCHAR:
      builder.AddElement(field.place(), static_cast<int8_t>(number));
      return Done{};
    case fb::ET_INT:
    case fb::ET_UINT:
      if (number != static_cast<int32_t>(number)) return unsupported(number, " of 32 bits");
      builder.AddElement(field.place(), static_cast<int32_t>(number));
      return Done{};
    case fb::ET_LONG:
      builder.AddElement(field.place(), number);
      return Done{};
    default:
      return unsupported("a field of kind ", static_cast<int>(field.code().base_type));
  }
}

// Texts and lists lie outside their table and are written before it.
Result<fb::uoffset_t> make_outside(fb::FlatBufferBuilder& builder, const TfliteOption& option) {
  if (const auto* text = std::get_if<std::string>(&option)) return builder.CreateString(*text).o;
  const auto& numbers = std::get<std::vector<int64_t>>(option);
  std::vector<int32_t> narrow;
  for (const int64_t number : numbers) {
    if (number != static_cast<int32_t>(number)) return unsupported(number, " of 32 bits");
    narrow.push_back(static_cast<int32_t>(number));
  }
  return builder.CreateVector(narrow).o;
}

bool lies_outside(const Field& field, const TfliteOption& option) {
  return std::holds_alternative<std::vector<int64_t>>(option) ||
         (std::holds_alternative<std::string>(option) && field.names() == nullptr);
}

}  // namespace

Result<TfliteOptionsTable> encode_tflite_options(fb::FlatBufferBuilder& builder,
                                                 const TfliteOp& op) {
  const size_t member = op.custom ? 0 : options_member(op.name);
  if (member == 0) {
    if (op.options.empty()) return TfliteOptionsTable{};
    return unsupported("option ", op.options.begin()->first, ": the operator has none");
  }
  const fb::TypeTable& table = *tfl::BuiltinOptionsTypeTable()->type_refs[member - 1]();
  std::map<std::string, fb::uoffset_t> outside;
  for (const auto& [name, option] : op.options) {
    const std::optional<Field> field = field_named(table, name);
    if (!field) return unsupported("option ", name, ": the operator has none of that name");
    if (!lies_outside(*field, option)) continue;
    HONE_TRY(outside[name], make_outside(builder, option).in(str("option ", name)));
  }
  const fb::uoffset_t start = builder.StartTable();
  for (const auto& [name, option] : op.options) {
    const Field field = *field_named(table, name);
    if (const auto found = outside.find(name); found != outside.end()) {
      builder.AddOffset(field.place(), fb::Offset<void>(found->second));
      continue;
    }
    HONE_RETURN_IF_ERROR(add_number(builder, field, option).in(str("option ", name)));
  }
  return TfliteOptionsTable{static_cast<tfl::BuiltinOptions>(member), builder.EndTable(start)};
}

}  // namespace hone
