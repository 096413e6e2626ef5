#include "hone/targets/c_code/vtcm_text.h"

#include <algorithm>

#include "hone/base/text.h"
#include "hone/targets/c_code/budget.h"
#include "hone/targets/c_code/part_text.h"

namespace hone::c_code {
namespace {

// Where VTCM begins, for a run and for what comes before all of them.
constexpr std::string_view kInRun = "vtcm";
constexpr std::string_view kInInit = "net->vtcm";

std::string one_fetch(std::string_view vtcm, size_t offset, const std::string& from, size_t skipped,
                      size_t bytes) {
  return str("  hone_fetch_start(", vtcm, " + ", offset, ", (const int8_t *)", from, " + ", skipped,
             ", ", bytes, ");\n");
}

// Of steps without panels.
std::string common_fetches(const Plan& plan, size_t step, std::string_view vtcm) {
  const Step& one = plan.steps[step];
  if (one.panels) return "";
  const std::vector<size_t> offsets = array_offsets(plan, step);
  std::string text;
  for (size_t i = 0; i < one.arrays.size(); ++i) {
    text += one_fetch(vtcm, offsets[i], brought_name(step, i), 0, bytes_of(one.arrays[i]));
  }
  return text;
}

std::string piece_fetch(const Plan& plan, size_t step, const VtcmPiece& piece,
                        std::string_view vtcm) {
  const size_t panel = plan.steps[step].panels->panel_bytes;
  const size_t begin = piece.first * panel;
  const size_t end = std::min(piece.end * panel, bytes_of(plan.steps[step].arrays[0]));
  return one_fetch(vtcm, piece.offset, brought_name(step, 0), begin, end - begin);
}

}  // namespace

bool reads_vtcm(const Plan& plan, size_t step) {
  return !plan.vtcm.steps.empty() && plan.vtcm.steps[step].residence != Residence::Away;
}

bool in_pieces(const Plan& plan, size_t step) {
  return reads_vtcm(plan, step) && plan.vtcm.steps[step].pieces.size() > 1;
}

std::string brought_name(size_t step, size_t array) {
  return str("layer_", step, "_c", array);
}

std::string bound_constants(const Plan& plan, size_t step) {
  const std::vector<size_t> offsets = array_offsets(plan, step);
  const bool pieces = in_pieces(plan, step);
  std::string text;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const std::string_view type = type_of(plan.steps[step].arrays[i]);
    const bool some = i == 0 && plan.parts[step].by_panels;
    const std::string from =
        i == 0 && pieces
            ? "piece"
            : str("vtcm + ", offsets[i], some ? " + " + bytes_before_part(plan.steps[step]) : "");
    text +=
        str("  const ", type, " *const c", i, " = (const ", type, " *)HONE_ALIGNED(", from, ");\n");
  }
  return text;
}

std::string started_fetches(const Plan& plan, size_t step, size_t piece) {
  if (plan.vtcm.steps.empty() || plan.vtcm.steps[step].residence != Residence::Fetched) return "";
  const VtcmStep& there = plan.vtcm.steps[step];
  std::string text = piece == 0 ? common_fetches(plan, step, kInRun) : "";
  if (!there.pieces.empty()) text += piece_fetch(plan, step, there.pieces[piece], kInRun);
  return text;
}

std::string kept_fetches(const Plan& plan) {
  std::string text;
  for (size_t s = 0; s < plan.vtcm.steps.size(); ++s) {
    const VtcmStep& there = plan.vtcm.steps[s];
    if (there.residence != Residence::Kept) continue;
    text += common_fetches(plan, s, kInInit);
    for (const VtcmPiece& piece : there.pieces) text += piece_fetch(plan, s, piece, kInInit);
  }
  return text.empty() ? "" : text + "  hone_fetch_wait();\n";
}

size_t bytes_for_vtcm(const Step& step) {
  size_t bytes = 0;
  for (size_t i = 0; i < arrays_for_vtcm(step); ++i) bytes += bytes_of(step.arrays[i]);
  return bytes;
}

size_t constants_that_are(const Plan& plan, Residence residence) {
  size_t bytes = 0;
  for (size_t s = 0; s < plan.vtcm.steps.size(); ++s) {
    const size_t brought = bytes_for_vtcm(plan.steps[s]);
    if (plan.vtcm.steps[s].residence == residence) bytes += brought;
    if (residence == Residence::Away) bytes += constants_of(plan.steps[s]) - brought;
  }
  return bytes;
}

std::string vtcm_note(const Plan& plan) {
  const size_t spilled = spilled_steps(plan).size();
  std::string text = spilled == 0 ? "all tensors"
                                  : str("tensors but those of ", spilled, " of ", plan.steps.size(),
                                        " layers, which have no room");
  constexpr std::pair<Residence, std::string_view> kParts[] = {
      {Residence::Kept, " of constants that stay"},
      {Residence::Fetched, " that come in every run"},
      {Residence::Away, " are read in main memory"}};
  for (const auto& [residence, what] : kParts) {
    const size_t bytes = constants_that_are(plan, residence);
    if (bytes > 0) text += str(", ", human_bytes(bytes), what);
  }
  return text;
}

std::vector<size_t> spilled_steps(const Plan& plan) {
  std::vector<size_t> steps;
  for (size_t s = 0; s < plan.vtcm.steps.size(); ++s) {
    if (plan.places.at(plan.steps[s].write).in == Place::In::Arena) steps.push_back(s);
  }
  return steps;
}

}  // namespace hone::c_code
