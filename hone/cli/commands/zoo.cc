#include "hone/zoo/zoo.h"

#include <algorithm>

#include "hone/base/text.h"
#include "hone/cli/options.h"
#include "hone/report/document/writers.h"
#include "hone/zoo/operator_model.h"

namespace hone {
namespace {

struct ZooArguments {
  std::string filter;
  JsonOutput json;
};

Document networks_document(const std::vector<const NetworkDef*>& networks) {
  const auto figure = [](double published) {
    return published == 0 ? "-" : human_count(static_cast<int64_t>(published));
  };
  DataTable table{.columns = {{"network"}, {"parameters", true}, {"MACs", true}, {"what"}}};
  for (const NetworkDef* network : networks) {
    table.rows.push_back({std::string(network->name), figure(network->published_parameters),
                          figure(network->published_macs), std::string(network->summary)});
  }
  return {.title = "Built-in networks", .sections = {{.blocks = {std::move(table)}}}};
}

// What is told of operators that can be named as models.
struct ListedOperators {
  std::vector<OperatorForm> forms = operator_forms();
  std::vector<std::string> of_a_shape = operators_of_a_shape();

  bool empty() const { return forms.empty() && of_a_shape.empty(); }
  void keep(std::string_view text) {
    if (text == "op") return;
    if (text.starts_with(kOperatorModel)) text.remove_prefix(kOperatorModel.size());
    std::erase_if(forms, [&](const OperatorForm& form) {
      return form.kind.find(text) == std::string_view::npos;
    });
    std::erase_if(of_a_shape,
                  [&](const std::string& name) { return name.find(text) == std::string::npos; });
  }
};

Document operators_document(const ListedOperators& operators) {
  DataTable table{.columns = {{"operator"}, {"such as"}, {"what"}}};
  for (const OperatorForm& form : operators.forms) {
    table.rows.push_back({str("op:", form.kind, ":", form.spelling),
                          str("op:", form.kind, ":", form.example), std::string(form.summary)});
  }
  Blocks blocks;
  if (!table.rows.empty()) blocks.emplace_back(std::move(table));
  if (!operators.of_a_shape.empty()) {
    blocks.emplace_back(Sentences{{str("op:NAME:SHAPE, all inputs of that shape, NAME one of: ",
                                       join(operators.of_a_shape))}});
  }
  return {.title = "Operators", .sections = {{.blocks = std::move(blocks)}}};
}

Json operators_json(const ListedOperators& operators) {
  Json list = Json::array();
  for (const OperatorForm& form : operators.forms) {
    list.push_back({{"name", form.kind},
                    {"spelling", form.spelling},
                    {"example", form.example},
                    {"summary", form.summary}});
  }
  for (const std::string& name : operators.of_a_shape) {
    list.push_back({{"name", name}, {"spelling", "SHAPE"}});
  }
  return list;
}

// Published figures; null where none is stated.
Json networks_json(const std::vector<const NetworkDef*>& networks) {
  const auto figure = [](double published) { return published == 0 ? Json() : Json(published); };
  Json list = Json::array();
  for (const NetworkDef* network : networks) {
    list.push_back({{"name", network->name},
                    {"parameters", figure(network->published_parameters)},
                    {"macs", figure(network->published_macs)},
                    {"summary", network->summary}});
  }
  return list;
}

Result<Exit> run_zoo(const ZooArguments& options, const CommandContext& context) {
  std::vector<const NetworkDef*> networks = all_networks();
  std::erase_if(networks, [&](const NetworkDef* network) {
    return network->name.find(options.filter) == std::string_view::npos;
  });
  ListedOperators operators;
  operators.keep(options.filter);
  if (networks.empty() && operators.empty()) {
    return bad_input("no built-in network or operator whose name contains '", options.filter, "'");
  }
  if (!options.json.to_stdout()) {
    if (!networks.empty()) context.out << document_text(networks_document(networks));
    if (!networks.empty() && !operators.empty()) context.out << "\n";
    if (!operators.empty()) context.out << document_text(operators_document(operators));
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(
        context, nullptr, "",
        {{"networks", networks_json(networks)}, {"operators", operators_json(operators)}}));
  }
  return Exit::Pass;
}

CommandDef::Action declare_zoo(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<ZooArguments>();
  flags.text("filter TEXT", options->filter,
             "only networks and operators whose name contains it; op: for all operators");
  options->json.declare(flags);
  return [options, &context] { return run_zoo(*options, context); };
}

}  // namespace

extern const CommandDef command_zoo = {
    .name = "zoo",
    .summary =
        "The networks that zoo:NAME opens, with published parameters and MACs, and the operators "
        "that op:NAME:SHAPE opens.",
    .examples = {"hone zoo", "hone zoo mobilenet", "hone zoo op:"},
    .declare = declare_zoo,
};

}  // namespace hone
