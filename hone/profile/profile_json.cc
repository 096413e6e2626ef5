#include "hone/profile/profile_json.h"

#include <algorithm>
#include <functional>

#include "hone/profile/json_schema.h"
#include "hone/profile/old_profile.h"
#include "hone/profile/result_file.h"

namespace hone {

template <class Fields>
void visit_fields(Fields& f, StepProfile& s) {
  f("name", s.name);
  f("op", s.op);
  std::string kernel = kernel_name(s.kind);
  f("kernel", kernel);  // For people: a reader goes by the fields that follow.
  f("family", s.kind.family);
  f("work", s.kind.work);
  f("variant", s.kind.variant);
  f("precision", s.kind.precision);
  f("tile_columns", s.kind.tile_columns);
  f("partial_tile", s.kind.partial_tile);
  f("layout", s.layout);
  f("output", s.output);
  f("reference", s.kind.reference);
  f("on_host", s.kind.on_host);
  f("us", s.us);
  f("us_p10", s.us_p10);
  f("us_p90", s.us_p90);
  f("us_blocks", s.us_blocks);
  f("share", s.share);
  f("busy", s.busy);
  f("macs", s.macs);
  f("flops", s.flops);
  f("weight_bytes", s.weight_bytes);
  f("read_bytes", s.read_bytes);
  f("written_bytes", s.written_bytes);
  f("roof_us", s.roof_us);
  f("bound", s.bound);
  f("arena_offset", s.arena_offset);
  f("live_before", s.live_before);
  f("live_during", s.live_during);
  f("live_after", s.live_after);
  f("sources", s.sources);
  f("counters", s.counters);
  f("engines", s.engines);
}

template <class Fields>
void visit_fields(Fields& f, SourceLayer& s) {
  f("name", s.name);
  f("op", s.op);
}

template <class Fields>
void visit_fields(Fields& f, LayerGroup& g) {
  f("name", g.name);
  f("sources", g.sources);
  f("steps", g.steps);
  f("us", g.us);
  f("share", g.share);
  f("ended", g.ended);
  f("reads", g.reads);
}

template <class Fields>
void visit_fields(Fields& f, TimelineEvent& e) {
  f("step", e.step);
  f("thread", e.thread);
  f("start_us", e.start_us);
  f("us", e.us);
  f("what", e.what);
}

template <class Fields>
void visit_fields(Fields& f, HostPlacement& h) {
  f("name", h.name);
  f("op", h.op);
  f("reason", h.reason);
  f("change", h.change);
  f("boundary_bytes", h.boundary_bytes);
  f("boundary_us", h.boundary_us);
}

template <class Fields>
void visit_fields(Fields& f, ProfileBuffer& b) {
  f("value", b.value);
  f("type", b.type);
  f("offset", b.offset);
  f("bytes", b.bytes);
  f("first_step", b.first_step);
  f("last_step", b.last_step);
}

template <class Fields>
void visit_fields(Fields& f, GpuCost& c) {
  f("what", c.what);
  f("count", c.count);
  f("us", c.us);
  f("bytes", c.bytes);
}

template <class Fields>
void visit_fields(Fields& f, GpuTimeline& t) {
  f("gpu", t.gpu);
  f("capability", t.capability);
  f("processors", t.processors);
  f("clock_mhz", t.clock_mhz);
  f("running_mhz", t.running_mhz);
  f("slowed_by", t.slowed_by);
  f("memory_rate", t.memory_rate);
  f("l2_bytes", t.l2_bytes);
  f("run_us", t.run_us);
  f("busy_us", t.busy_us);
  f("launching_us", t.launching_us);
  f("waiting_us", t.waiting_us);
  f("copying_us", t.copying_us);
  f("loading_us", t.loading_us);
  f("preparing_us", t.preparing_us);
  f("host_us", t.host_us);
  f("allocating_us", t.allocating_us);
  f("graph_us", t.graph_us);
  f("unknown_us", t.unknown_us);
  f("kernels", t.kernels);
  f("recorded", t.recorded);
  f("capturable", t.capturable);
  f("capturable_us", t.capturable_us);
  f("capturable_recorded", t.capturable_recorded);
  f("waits", t.waits);
  f("allocations", t.allocations);
  f("copies", t.copies);
  f("host_work", t.host_work);
}

template <class Fields>
void visit_fields(Fields& f, Profile& p) {
  f("kind", p.kind);
  f("model", p.model);
  f("target", p.target);
  f("device", p.device);
  f("tool", p.tool);
  f("mode", p.mode);
  f("threads", p.threads);
  f("precision", p.precision);
  f("seed", p.seed);
  f("started", p.started);
  f("phases", p.phases);
  f("latency", p.latency);
  f("samples_ms", p.samples_ms);
  f("copies", p.copies);
  f("watched_ms", p.watched_ms);
  f("overhead", p.overhead);
  f("system", p.system);
  f("counters", p.counters);
  f("engines", p.engines);
  f("gpu", p.gpu);
  f("energy", p.energy);
  f("unstable", p.unstable);
  f("notes", p.notes);
  f("step_times", p.step_times);
  f("step_runs", p.step_runs);
  f("steps", p.steps);
  f("sources", p.sources);
  f("layers", p.layers);
  f("timeline", p.timeline);
  f("tracks", p.tracks);
  f("host", p.host);
  f("buffers", p.buffers);
  f("arena_bytes", p.arena_bytes);
  f("weight_bytes", p.weight_bytes);
  f("memory", p.memory);
  f("roofs", p.roofs);
}

namespace {

// Where the numbers of a step come from, said once for all of them.
Json step_provenance(const Profile& profile) {
  const std::string_view mode = mode_name(profile.mode);
  const int64_t n =
      profile.step_runs > 0 ? profile.step_runs : static_cast<int64_t>(profile.samples_ms.size());
  Json about;
  about["us"] = {{"unit", "us"}, {"mode", mode}, {"n", n}, {"aggregation", profile.step_times}};
  about["us_p10"] = {{"unit", "us"}, {"mode", mode}, {"n", n}};
  about["us_p90"] = {{"unit", "us"}, {"mode", mode}, {"n", n}};
  about["us_blocks"] = {{"unit", "us"}, {"mode", mode}, {"aggregation", "median of a block"}};
  about["share"] = {{"unit", ""}, {"mode", mode}};
  about["busy"] = {{"unit", ""}, {"mode", mode}};
  for (const char* key : {"macs", "flops"}) about[key] = {{"unit", ""}, {"mode", "exact"}};
  for (const char* key : {"weight_bytes", "read_bytes", "written_bytes", "arena_offset",
                          "live_before", "live_during", "live_after"}) {
    about[key] = {{"unit", "B"}, {"mode", "exact"}};
  }
  about["roof_us"] = {{"unit", "us"}, {"mode", "predicted"}, {"note", "from measured roofs"}};
  if (profile.engines) {
    about["engines"] = {{"mode", mode},
                        {"note", "busy and stalls in cycles, of all of them; energy in uJ"}};
  }
  return about;
}

Status check_indices(const std::vector<size_t>& indices, size_t limit, const std::string& owner,
                     const char* what) {
  for (const size_t index : indices) {
    if (index >= limit) return bad_input(owner, " names ", what, " ", index, " of ", limit);
  }
  return Done{};
}

// What points into another list points at something.
Status check_references(const Profile& profile) {
  const size_t steps = profile.steps.size();
  const size_t sources = profile.sources.size();
  for (const StepProfile& step : profile.steps) {
    HONE_RETURN_IF_ERROR(
        check_indices(step.sources, sources, str("step '", step.name, "'"), "source"));
  }
  for (const LayerGroup& group : profile.layers) {
    const std::string owner = str("layer '", group.name, "'");
    HONE_RETURN_IF_ERROR(check_indices(group.steps, steps, owner, "step"));
    HONE_RETURN_IF_ERROR(check_indices(group.sources, sources, owner, "source"));
    HONE_RETURN_IF_ERROR(check_indices(group.reads, profile.layers.size(), owner, "layer"));
    if (std::ranges::adjacent_find(group.reads, std::ranges::greater_equal{}) !=
        group.reads.end()) {
      return bad_input(owner, " reads layers twice, or out of order");
    }
  }
  for (const TimelineEvent& event : profile.timeline) {
    HONE_RETURN_IF_ERROR(check_indices({event.step}, steps, "timeline", "step"));
  }
  return Done{};
}

}  // namespace

Json profile_to_json(const Profile& profile) {
  JsonWriter writer;
  visit_fields(writer, const_cast<Profile&>(profile));  // The writer only reads.
  writer.json["step_metrics"] = step_provenance(profile);
  return std::move(writer.json);
}

Json profile_schema() {
  Json schema = result_schema_of<Profile>("profile");
  schema["properties"]["step_metrics"] = {{"type", "object"}};
  return schema;
}

Json engines_to_json(const sim::EngineCounters& engines) {
  JsonWriter writer;
  visit_fields(writer, const_cast<sim::EngineCounters&>(engines));
  return std::move(writer.json);
}

Result<Profile> profile_from_json(const Json& results, const std::string& path) {
  const std::optional<Json> renewed = renewed_profile(results);
  HONE_TRY(Profile profile, read_fields<Profile>(renewed ? *renewed : results, path));
  HONE_RETURN_IF_ERROR(check_references(profile));
  return profile;
}

Result<Profile> read_profile(const std::filesystem::path& path) {
  HONE_TRY(const Json document, read_result_file(path));
  if (result_kind(document) != "profile") {
    return bad_input(path.string(), ": holds no profile").needs({HintKind::ProfileFile});
  }
  return profile_from_json(document["results"]).in(path.string());
}

}  // namespace hone
