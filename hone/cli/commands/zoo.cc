#include "hone/zoo/zoo.h"

#include "hone/base/text.h"
#include "hone/cli/options.h"
#include "hone/report/document/writers.h"

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
  if (networks.empty()) {
    return bad_input("no built-in network whose name contains '", options.filter, "'");
  }
  if (!options.json.to_stdout()) context.out << document_text(networks_document(networks));
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, nullptr, "", {{"networks", networks_json(networks)}}));
  }
  return Exit::Pass;
}

CommandDef::Action declare_zoo(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<ZooArguments>();
  flags.text("filter TEXT", options->filter, "only networks whose name contains it");
  options->json.declare(flags);
  return [options, &context] { return run_zoo(*options, context); };
}

}  // namespace

extern const CommandDef command_zoo = {
    .name = "zoo",
    .summary = "The networks that zoo:NAME opens, with published parameters and MACs.",
    .examples = {"hone zoo", "hone zoo mobilenet"},
    .declare = declare_zoo,
};

}  // namespace hone
