#include "hone/targets/hexagon/dsp_traffic.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <tuple>

#include "hone/targets/c_code/budget.h"
#include "hone/targets/c_code/vtcm_text.h"

namespace hone::hexagon {
namespace {

// What lies in one place: a tensor, or the constants of a step.
using CachedThing = std::tuple<int, size_t, size_t>;
constexpr int kConstants = -1;  // Tensors have their place's kind,
constexpr int kFetched = -2;    // and constants that go on into VTCM one of their own.

// A cache that keeps whole things, those that were touched last.
class ThingCache {
 public:
  explicit ThingCache(double bytes) : bytes_(bytes) {}

  // Whether it was there.
  bool touch(const CachedThing& thing, double bytes) {
    double since = bytes;
    bool there = false;
    for (auto at = touched_.begin(); at != touched_.end(); ++at) {
      if (at->first != thing) {
        since += at->second;
        continue;
      }
      there = since <= bytes_;
      touched_.erase(at);
      break;
    }
    touched_.emplace_front(thing, bytes);
    return there;
  }

 private:
  double bytes_;
  std::list<std::pair<CachedThing, double>> touched_;  // The last one in front.
};

class TrafficCounter {
 public:
  TrafficCounter(const c_code::Plan& plan, const DspSpec& dsp)
      : plan_(plan), known_(dsp.l2_kib > 0), cache_(static_cast<double>(dsp.l2_kib) * 1024) {}

  // Twice, of which the second tells: what the first has left is there.
  DspTraffic count() {
    run();
    return run();
  }

 private:
  DspTraffic run() {
    DspTraffic traffic{.layers = std::vector<LayerTraffic>(plan_.steps.size())};
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      double streamed = 0;
      touch_tensors(s, traffic.layers[s], streamed);
      touch_constants(s, traffic.layers[s], streamed);
      add_slots(s, streamed, traffic.layers[s], traffic.slots);
      for (const DspSlot& slot : traffic.slots) {
        if (slot.step == s) traffic.layers[s].ddr += slot.fetched;
      }
      traffic.layers[s].ddr += streamed;
    }
    return traffic;
  }

  // What the caller wrote comes from main memory; what was written here and has left the cache went there and back.
  void touch_tensors(size_t s, LayerTraffic& layer, double& streamed) {
    const c_code::Step& step = plan_.steps[s];
    const auto is_spilled = [&](const c_code::Place& place) {
      return plan_.vtcm.bytes > 0 && place.in == c_code::Place::In::Arena;
    };
    for (const Value* value : step.reads) {
      const c_code::Place& place = plan_.places.at(value);
      const auto bytes = static_cast<double>(value->type.tensor.bytes());
      if (is_spilled(place)) layer.spilled += bytes;
      if (place.in == c_code::Place::In::Vtcm) {
        layer.vtcm += bytes;
      } else if (touched(place, bytes)) {
        layer.l2 += bytes;
      } else {
        streamed += place.in == c_code::Place::In::Input ? bytes : 2 * bytes;
      }
    }
    const c_code::Place& place = plan_.places.at(step.write);
    const auto bytes = static_cast<double>(step.write->type.tensor.bytes());
    if (is_spilled(place)) layer.spilled += bytes;
    const bool inside = place.in == c_code::Place::In::Vtcm;
    (inside ? layer.vtcm : layer.l2) += bytes;
    if (!inside) touched(place, bytes);
  }

  bool touched(const c_code::Place& place, double bytes) {
    const bool there = cache_.touch({static_cast<int>(place.in), place.index, place.offset}, bytes);
    return !known_ || (there && place.in != c_code::Place::In::Input);
  }

  void touch_constants(size_t s, LayerTraffic& layer, double& streamed) {
    auto bytes = static_cast<double>(c_code::constants_of(plan_.steps[s]));
    if (c_code::reads_vtcm(plan_, s)) {
      const auto brought = static_cast<double>(c_code::bytes_for_vtcm(plan_.steps[s]));
      layer.vtcm += brought;
      bytes -= brought;
      if (bytes <= 0) return;
    }
    const bool inside = c_code::reads_vtcm(plan_, s);
    if (plan_.vtcm.bytes > 0 && !inside) layer.away = bytes;
    if (cache_.touch({kConstants, s, 0}, bytes) || !known_) {
      layer.l2 += bytes;
      return;
    }
    streamed += inside ? bytes : bytes * passes_over(s, bytes);
  }

  // Products take four pixels at a time, for each of which all weights are read: again from main memory where the
  // cache does not hold them.
  double passes_over(size_t s, double bytes) {
    constexpr double kPixelsOfPass = 4;
    const c_code::Step& step = plan_.steps[s];
    if (!step.panels || cache_.touch({kConstants, s, 0}, bytes)) return 1;
    const auto results = static_cast<double>(step.write->type.tensor.elements());
    return std::ceil(results / static_cast<double>(step.panels->channels) / kPixelsOfPass);
  }

  // Whether the constants of a step come from main memory in every run: those that the cache still has do not.
  bool fetches(size_t s, double bytes, LayerTraffic& layer) {
    const bool fetched =
        !plan_.vtcm.steps.empty() && plan_.vtcm.steps[s].residence == c_code::Residence::Fetched;
    if (!fetched || !cache_.touch({kFetched, s, 0}, bytes) || !known_) return fetched;
    layer.l2 += bytes;
    return false;
  }

  void add_slots(size_t s, double streamed, LayerTraffic& layer, std::vector<DspSlot>& slots) {
    const auto bytes = static_cast<double>(c_code::bytes_for_vtcm(plan_.steps[s]));
    const bool fetched = fetches(s, bytes, layer);
    if (!c_code::in_pieces(plan_, s)) {
      slots.push_back({.step = s, .fetched = fetched ? bytes : 0, .streamed = streamed});
      return;
    }
    const c_code::Step& step = plan_.steps[s];
    const auto panels = static_cast<double>(c_code::bytes_of(step.arrays[0]));
    for (const c_code::VtcmPiece& piece : plan_.vtcm.steps[s].pieces) {
      const size_t first = piece.first * step.panels->panel_bytes;
      const size_t end =
          std::min(piece.end * step.panels->panel_bytes, c_code::bytes_of(step.arrays[0]));
      const double part = static_cast<double>(end - first) / panels;
      slots.push_back({.step = s,
                       .part = part,
                       .fetched = fetched ? part * panels : 0,
                       .streamed = part * streamed});
    }
  }

  const c_code::Plan& plan_;
  bool known_;
  ThingCache cache_;
};

}  // namespace

DspTraffic traffic_of(const c_code::Plan& plan, const DspSpec& dsp) {
  return TrafficCounter(plan, dsp).count();
}

}  // namespace hone::hexagon
