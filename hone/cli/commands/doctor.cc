#include "hone/base/text.h"
#include "hone/cli/options.h"
#include "hone/device/host.h"

namespace hone {
namespace {

std::string cpus_line(const CpuInfo& cpu) {
  const std::string all = str(cpu.cpus, cpu.cpus == 1 ? " CPU" : " CPUs");
  if (cpu.threads >= cpu.cpus) return str(all, ", this process may use all");
  return str(all, ", of which this process may use ", cpu.threads, " (affinity or quota)");
}

void print(const HostReport& report, std::ostream& out) {
  out << "system  " << report.system << ", " << report.kernel << "\n"
      << "cpu     " << report.cpu.name << ", " << report.cpu.cores << " cores, "
      << cpus_line(report.cpu) << "\n"
      << "        " << join(feature_names(report.cpu.features), " ") << "\n"
      << "memory  " << human_bytes(report.memory.total_bytes) << ", "
      << human_bytes(report.memory.available_bytes) << " available\n\n";
  Table table({"for", "part", "found", "detail"});
  for (const HostPart& part : report.parts) {
    table.add({part.purpose, part.name, part.found ? "yes" : "no", part.detail});
  }
  out << table.to_string();
  const std::string command = install_command(report);
  if (command.empty()) {
    out << "\nnothing is missing\n";
  } else {
    out << "\nto get what is missing: " << command << "\n";
  }
}

Json to_json(const HostReport& report) {
  Json parts = Json::array();
  for (const HostPart& part : report.parts) {
    parts.push_back({{"group", part.group},
                     {"name", part.name},
                     {"purpose", part.purpose},
                     {"found", part.found},
                     {"path", part.path},
                     {"detail", part.detail},
                     {"package", part.package}});
  }
  return {{"system", report.system},
          {"kernel", report.kernel},
          {"cpu",
           {{"name", report.cpu.name},
            {"cores", report.cpu.cores},
            {"cpus", report.cpu.cpus},
            {"usable_cpus", report.cpu.threads},
            {"features", feature_names(report.cpu.features)}}},
          {"memory",
           {{"total_bytes", report.memory.total_bytes},
            {"available_bytes", report.memory.available_bytes}}},
          {"parts", parts},
          {"install", install_command(report)}};
}

Result<Exit> run(const JsonOutput& json, const CommandContext& context) {
  const HostReport report = inspect_host();
  if (!json.to_stdout()) print(report, context.out);
  if (json.wanted()) {
    HONE_RETURN_IF_ERROR(json.write(context, nullptr, "", to_json(report)));
  }
  return Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto json = std::make_shared<JsonOutput>();
  json->declare(flags);
  return [json, &context] { return run(*json, context); };
}

}  // namespace

extern const CommandDef command_doctor = {
    .name = "doctor",
    .summary = "What this machine can do, what is missing, and the command that installs it.",
    .examples = {"hone doctor", "hone doctor --json machine.json"},
    .declare = declare,
};

}  // namespace hone
