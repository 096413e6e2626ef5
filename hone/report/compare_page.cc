#include "hone/report/compare_page.h"

#include "hone/base/str.h"
#include "hone/base/version.h"
#include "hone/report/compare_charts.h"
#include "hone/report/compare_text.h"
#include "hone/report/plain_page.h"

namespace hone {
namespace {

constexpr std::string_view kColours =
    "<p>Numbers are <i style=\"background: var(--measured)\"></i>measured"
    "<i style=\"background: var(--simulated)\"></i>simulated"
    "<i style=\"background: var(--predicted)\"></i>predicted.";

std::string table_of(const DeviceComparison& comparison) {
  const auto rows = compare_cells(comparison);
  std::string html = "<div class=\"scroll\"><table>\n";
  for (size_t r = 0; r < rows.size(); ++r) {
    html += "<tr>";
    for (const std::string& cell : rows[r]) {
      const bool best = r == 0 && cell.ends_with(" *");
      html += r == 0 ? (best ? "<th class=\"best\">" : "<th>") : "<td>";
      html += html_plain(cell) + (r == 0 ? "</th>" : "</td>");
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string scatter_of(const DeviceComparison& comparison) {
  const std::string chart = latency_energy_chart(comparison);
  if (chart.empty()) return "";
  const std::string front = comparison.energy_left_out.empty()
                                ? "the dashed line joins devices that no other beats in these two"
                                : html_plain(comparison.energy_left_out);
  return str(chart, kColours, " Both axes are logarithmic; thin lines are intervals; ", front,
             ". Filled points: ", html_plain(compare_star(comparison)), ".</p>\n");
}

}  // namespace

std::string compare_page(const DeviceComparison& comparison, const std::string& command) {
  const std::string model = html_plain(comparison.model);
  const std::string latency = html_section("Latency, ms", latency_bars(comparison));
  const std::string energy = html_section("Energy of a run, mJ", energy_bars(comparison));
  const std::string body =
      str(html_section("Latency against energy", scatter_of(comparison)), "<div class=\"pair\">\n",
          latency, energy, "</div>\n",
          html_section("All figures", table_of(comparison) + html_list(compare_legend(comparison))),
          html_section("Notes", html_list(compare_notes(comparison))));
  return html_page({.title = model + " compared",
                    .heading = str(model, " on ", comparison.devices.size(), " devices"),
                    .below = str("<code>", html_plain(command), "</code>, Hone ", version()),
                    .body = body});
}

}  // namespace hone
