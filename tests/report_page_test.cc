// The HTML report in a real browser: it opens without a complaint, answers clicks and typing, and
// looks like something. Skipped where no chromium is on PATH.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "hone/base/process.h"
#include "hone/base/str.h"
#include "hone/cli/command_def.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

// Lines of the browser's log that come from the page: errors, refused loads, console.log.
std::string complaints(const std::string& output) {
  std::istringstream lines(output);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[") && line.find(":CONSOLE") != std::string::npos) found += line + "\n";
  }
  return found;
}

// "key=value" lines that a script left in <pre id="result">.
std::map<std::string, std::string> results_in(const std::string& dom) {
  std::map<std::string, std::string> results;
  const std::string open = "<pre id=\"result\">";
  const size_t from = dom.find(open);
  if (from == std::string::npos) return results;
  const size_t begin = from + open.size();
  std::istringstream lines(dom.substr(begin, dom.find("</pre>", begin) - begin));
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos) results[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return results;
}

class ReportPage : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / "hone_report_page_test";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    hone({"profile", "zoo:ds_cnn_kws", "-n", "20", "--no-roofs", "--json", file("a.json")});
    hone({"report", file("a.json"), "-o", file("report.html")});
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      if (browser_.empty()) browser_ = find_program(name).value_or("").string();
    }
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  void SetUp() override {
    if (browser_.empty()) GTEST_SKIP() << "no chromium on PATH";
  }

  static std::string file(const char* name) { return (folder_ / name).string(); }

  static void hone(const std::vector<std::string>& arguments) {
    std::ostringstream output;
    ASSERT_EQ(run_cli(arguments, output, output), 0) << output.str();
  }

  // What the browser prints: with --dump-dom the page after its scripts ran, and always its log.
  static std::string browse(const std::string& page, std::vector<std::string> options) {
    std::vector<std::string> command = {browser_,
                                        "--headless=new",
                                        "--no-sandbox",
                                        "--disable-gpu",
                                        "--enable-logging=stderr",
                                        "--virtual-time-budget=3000",
                                        "--hide-scrollbars",
                                        "--window-size=1280,900",
                                        "--user-data-dir=" + file("browser")};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("file://" + page);
    const Result<ProcessOutput> output = run_program(command, 120);
    EXPECT_TRUE(output.ok()) << output.error().message;
    return output.ok() ? output->text : "";
  }

  // A report with a script at its end that writes `name=value` lines through say().
  static std::string with_script(const char* name, const std::string& script,
                                 const char* report = "report.html") {
    std::string page = text_of(file(report));
    const size_t end = page.rfind("</body>");
    EXPECT_NE(end, std::string::npos);
    const std::string before = R"(<script>
const lines = [];
const say = (name, value) => lines.push(`${name}=${value}`);
const find = (what) => document.querySelector(what);
const rows = () => [...document.querySelectorAll('tr.layer')];
)";
    const std::string after = R"(
const result = document.createElement('pre');
result.id = 'result';
result.textContent = lines.join('\n');
document.body.append(result);
</script>
)";
    page.insert(end, before + script + after);
    std::ofstream(file(name), std::ios::binary) << page;
    return file(name);
  }

  static inline fs::path folder_;
  static inline std::string browser_;
};

TEST_F(ReportPage, OpensWithoutAComplaint) {
  const std::string output = browse(file("report.html"), {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  EXPECT_NE(output.find("zoo:ds_cnn_kws</h1>"), std::string::npos);
  EXPECT_NE(output.find("median ("), std::string::npos);
  EXPECT_NE(output.find("took no time"), std::string::npos);
}

// So that the test above can fail.
TEST_F(ReportPage, AnErrorInAScriptIsAComplaint) {
  const std::string page = with_script("broken.html", "no_such_function();\n");
  EXPECT_NE(complaints(browse(page, {"--dump-dom"})).find("no_such_function"), std::string::npos);
}

TEST_F(ReportPage, ARefusedLoadIsAComplaint) {
  const std::string page =
      with_script("loads.html", "document.body.append(el('img', {src: 'picture.png'}));\n");
  EXPECT_NE(complaints(browse(page, {"--dump-dom"})).find("Content Security Policy"),
            std::string::npos);
}

TEST_F(ReportPage, AColumnSortsTheLayers) {
  const std::string page = with_script("sort.html", R"(
say('time', find('th[data-key=us]').getAttribute('aria-sort'));
const times = rows().map((row) => current().rows[row.dataset.layer].us);
say('longest_first', times.every((us, i) => i === 0 || us <= times[i - 1]));
find('th[data-key=name] button').click();
say('name', find('th[data-key=name]').getAttribute('aria-sort'));
say('first', rows()[0].querySelector('.pick').textContent);
find('th[data-key=name] button').click();
say('name_again', find('th[data-key=name]').getAttribute('aria-sort'));
say('first_again', rows()[0].querySelector('.pick').textContent);
)");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["time"], "descending");
  EXPECT_EQ(results["longest_first"], "true");
  EXPECT_EQ(results["name"], "ascending");
  EXPECT_EQ(results["first"], "block.0.depthwise.0 + 2");
  EXPECT_EQ(results["name_again"], "descending");
  EXPECT_EQ(results["first_again"], "stem.0 + 2");
}

TEST_F(ReportPage, ALayerIsSelectedEverywhere) {
  const std::string page = with_script("select.html", R"(
const row = rows().find((each) => each.textContent.includes('stem.0'));
say('hidden', find('#detail').hidden);
row.querySelector('.pick').click();
say('panel', find('#detail h2').textContent);
say('sources', find('#detail .sources').textContent.includes('BatchNormalization'));
say('table', find('tr[aria-selected=true]').dataset.layer === row.dataset.layer);
say('map', find('.cell.selected').dataset.layer === row.dataset.layer);
say('roofline', find('.point.selected').dataset.layer === row.dataset.layer);
find('.cell[data-layer="3"]').dispatchEvent(new MouseEvent('click'));
say('by_map', find('tr[aria-selected=true]').dataset.layer);
document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}));
say('closed', find('#detail').hidden && !find('tr[aria-selected=true]'));
)");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["hidden"], "true");
  EXPECT_EQ(results["panel"], "stem.0 + 2");
  for (const char* place : {"sources", "table", "map", "roofline", "closed"}) {
    EXPECT_EQ(results[place], "true") << place;
  }
  EXPECT_EQ(results["by_map"], "3");
}

TEST_F(ReportPage, TheNetworkIsAGraph) {
  const std::string page = with_script("graph.html", R"(
const boxes = () => [...document.querySelectorAll('#graph_body .box')];
const press = (key) => find('#graph_body').dispatchEvent(new KeyboardEvent('keydown', {key}));
look_at_all();
say('boxes', sight.plan.boxes.length);
say('lines', sight.plan.lines.length);
say('below', sight.plan.lines.every(({from, to}) => {
  const [a, b] = [sight.plan.boxes[from], sight.plan.boxes[to]];
  return b.column > a.column || (b.column === a.column && b.top >= a.top + a.height);
}));
say('columns', sight.plan.columns.length > 1);
say('whole', sight.plan.boxes.every(is_seen));
say('parts', [...boxes()[0].querySelectorAll('.part_name')].map((e) => e.textContent).join(' '));
boxes()[2].dispatchEvent(new MouseEvent('click', {bubbles: true}));
say('row', find('tr[aria-selected=true]').dataset.layer === boxes()[2].dataset.layer);
say('panel', !find('#detail').hidden);
press('ArrowUp');
say('up', view.layer === Number(boxes()[1].dataset.layer));
press('ArrowDown');
say('down', view.layer === Number(boxes()[2].dataset.layer));
const scale = sight.scale;
press('+');
say('closer', sight.scale > scale);
find('#graph_search').value = 'stem';
find('#graph_search').dispatchEvent(new Event('input'));
say('found', find('#graph_found').textContent);
find('#graph_search').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}));
say('gone_to', current().rows[view.layer].name);
say('faded', boxes().filter((e) => e.classList.contains('faded')).length > 0);
)");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_GE(std::stoi(results["boxes"]), 12);
  EXPECT_GE(std::stoi(results["lines"]), 11);
  EXPECT_EQ(results["parts"], "Conv BatchNormalization Relu");
  EXPECT_EQ(results["found"], "1 found");
  EXPECT_EQ(results["gone_to"], "stem.0 + 2");
  for (const char* fact :
       {"below", "columns", "whole", "row", "panel", "up", "down", "closer", "faded"}) {
    EXPECT_EQ(results[fact], "true") << fact;
  }
}

// Of any network: boxes lie below what they read, none covers another, and thousands do not take
// long to lay out or to draw, since few of them are drawn at a time.
TEST_F(ReportPage, LargeNetworksAreLaidOut) {
  const std::string page = with_script("layout.html", R"(
let state = 1;
const random = (n) => (state = state * 48271 % 2147483647) % n;
const boxes = Array.from({length: 5000}, (_, i) => ({
  width: 100, height: 20 + random(30),
  reads: i === 0 ? [] : [...new Set([i - 1 - random(Math.min(i, 3)), i - 1 - random(Math.min(i, 40))])]
}));
const plan = layout_graph(boxes);
say('below', plan.lines.every(({from, to}) =>
    plan.places[to].y >= plan.places[from].y + boxes[from].height));
say('all', plan.lines.length === boxes.reduce((sum, box) => sum + box.reads.length, 0));
const ranks = Map.groupBy(plan.places, (place) => place.rank);
say('apart', [...ranks.values()].every((row) => {
  const xs = row.map((place) => place.x).sort((a, b) => a - b);
  return xs.every((x, i) => i === 0 || x - xs[i - 1] >= 100);
}));
const ring = layout_graph([[], [0, 2], [1], [2]].map((reads) => ({width: 9, height: 9, reads})));
say('ring', ring.places.map((place) => place.rank).join(' '));
plan.boxes = boxes.map((box, i) => ({
  row: current().rows[0], left: plan.places[i].x - 50, top: plan.places[i].y, ...box}));
sight.plan = plan;
sight.drawn = null;
look_at_all();
say('drawn', sight.canvas.querySelectorAll('.box').length <= 4 * kSight.boxes);
)");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["ring"], "0 1 2 3");  // Layers that run as one can read of each other.
  for (const char* fact : {"below", "all", "apart", "drawn"}) {
    EXPECT_EQ(results[fact], "true") << fact;
  }
}

// Where a browser keeps the clipboard to itself, the command is selected.
TEST_F(ReportPage, ACommandIsCopiedOrSelected) {
  const std::string page = with_script("copy.html", R"(
Object.defineProperty(navigator, 'clipboard', {value: undefined});
const copy = find('.next .copy');
copy.click();
say('said', copy.textContent);
say('selected', String(getSelection()));
)");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["said"], "selected");
  EXPECT_EQ(results["selected"], "hone diagnose zoo:ds_cnn_kws");
}

// Names that are markup, that turn the direction of writing, or that are a book.
TEST_F(ReportPage, HostileNamesStayNames) {
  std::string result = text_of(file("a.json"));
  const std::string name = "\"stem.0\"";
  const std::string evil =
      "\"<img src=x onerror=alert(1)></script>\\u202e\\u001b" + std::string(200'000, 'M') + "\"";
  for (size_t at = result.find(name); at != std::string::npos;
       at = result.find(name, at + evil.size())) {
    result.replace(at, name.size(), evil);
  }
  std::ofstream(file("evil.json")) << result;
  hone({"report", file("evil.json"), "-o", file("evil.html")});
  const std::string page = with_script("evil_page.html", R"(
rows().forEach((row) => row.querySelector('.pick').click());
say('images', document.querySelectorAll('img').length);
say('wide', document.documentElement.scrollWidth > document.documentElement.clientWidth);
say('turned', document.body.innerText.includes('\u202e'));
say('long', Math.max(...[...document.querySelectorAll('[title]')].map((e) => e.title.length)) < 3000);
)",
                                       "evil.html");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["images"], "0");
  EXPECT_EQ(results["wide"], "false");
  EXPECT_EQ(results["turned"], "false");
  EXPECT_EQ(results["long"], "true");
}

TEST_F(ReportPage, TheSearchBoxLeavesWhatMatches) {
  const std::string page = with_script("search.html", R"(
say('all', rows().length);
const type = (text) => {
  find('#search').value = text;
  find('#search').dispatchEvent(new Event('input'));
};
type('POINTWISE gemm');
say('some', rows().length);
say('count', find('#layer_count').textContent);
type('nothing like it');
say('none', rows().length);
type('');
say('again', rows().length);
)");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["all"], "12");
  EXPECT_EQ(results["some"], "4");
  EXPECT_TRUE(results["count"].starts_with("4 of 12 layers")) << results["count"];
  EXPECT_EQ(results["none"], "0");
  EXPECT_EQ(results["again"], "12");
}

TEST_F(ReportPage, TheTimelineZoomsAndTheThemeChanges) {
  const std::string page = with_script("zoom.html", R"(
const span = () => (zoom.high - zoom.low) / zoom.whole;
say('whole', span());
find('#zoom_in').click();
say('half', span().toFixed(3));
find('#timeline canvas').dispatchEvent(new KeyboardEvent('keydown', {key: '0'}));
say('whole_again', span());
const colours = new Set();
for (let i = 0; i < 3; ++i) {
  find('#theme').click();
  colours.add(getComputedStyle(document.body).backgroundColor);
}
say('colours', colours.size);
)");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["whole"], "1");
  EXPECT_EQ(results["half"], "0.500");
  EXPECT_EQ(results["whole_again"], "1");
  EXPECT_EQ(results["colours"], "2");
}

TEST_F(ReportPage, TwoRunsAreComparedAndEitherIsShown) {
  hone({"report", file("a.json"), file("a.json"), "-o", file("two.html")});
  const std::string page = with_script("compare.html", R"(
say('verdict', find('#compare .verdict_chip').textContent);
say('layers', document.querySelectorAll('#compare tbody tr').length);
say('shown', find('#picker [aria-pressed=true]').textContent === report.runs[1].label);
find('#picker button').click();
say('first', view.run);
)",
                                       "two.html");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["verdict"], "same");
  EXPECT_EQ(results["layers"], "12");
  EXPECT_EQ(results["shown"], "true");
  EXPECT_EQ(results["first"], "0");
}

// Networks that have nothing in common stand beside each other; sections say which they are of.
TEST_F(ReportPage, SeveralNetworksAreToldApart) {
  hone({"profile", "zoo:resnet8", "-n", "3", "--no-roofs", "--json", file("r.json")});
  hone({"report", file("a.json"), file("r.json"), "-o", file("nets.html")});
  const std::string page = with_script("networks.html", R"(
say('title', find('#compare h2').textContent);
say('nav', find('#nav a').textContent);
say('rows', document.querySelectorAll('#compare tbody tr').length);
say('times', find('#compare').textContent.includes('times as'));
say('bars', document.querySelectorAll('#compare .bars dt').length);
say('of', find('#layers h2').dataset.of);
find('#picker button').click();
say('of_first', find('#layers h2').dataset.of);
)",
                                       "nets.html");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["title"], "Runs compared");
  EXPECT_EQ(results["nav"], "Runs compared");
  EXPECT_EQ(results["rows"], "0");
  EXPECT_EQ(results["times"], "false");
  EXPECT_EQ(results["bars"], "2");
  EXPECT_EQ(results["of"], "zoo:resnet8 (r)");
  EXPECT_EQ(results["of_first"], "zoo:ds_cnn_kws (a)");
}

// Rows of a table do not become one by what their names lose.
TEST_F(ReportPage, NamesThatDifferStayApart) {
  const std::string page = with_script("names.html", R"(
const long = (middle) => `${'a'.repeat(60)}${middle}${'z'.repeat(60)}`;
const shown = format.short_names([long('1'), long('2'), long('1'), 'stem'], 44);
say('same_before', format.short(long('1'), 44) === format.short(long('2'), 44));
say('apart', shown.get(long('1')) !== shown.get(long('2')) && shown.get(long('2')).includes('2'));
say('stem', shown.get('stem'));
const books = ['b', 'c'].map((x) => long('1') + x + long('1')).concat(long('1') + 'b' + long('2'));
say('three', new Set(format.short_names(books, 44).values()).size);
)");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["same_before"], "true");
  EXPECT_EQ(results["apart"], "true");
  EXPECT_EQ(results["stem"], "stem");
  EXPECT_EQ(results["three"], "3");
}

// Of a run on a GPU the page says for whom the GPU waited.
TEST_F(ReportPage, OfAGpuShowsItsHost) {
  const std::string trace =
      (source_dir() / "tests" / "profiles" / "pytorch" / "copies.json").string();
  hone({"profile", "--import", trace, "--json", file("gpu.json")});
  hone({"report", file("gpu.json"), "-o", file("gpu.html")});
  const std::string page = with_script("gpu_host.html", R"(
const text = find('#gpu_body').textContent;
say('gpu', find('#gpu').hidden);
say('busy', text.includes('GPU busy') && text.includes('97.7 %'));
say('copies', text.includes('HtoD, pageable'));
say('waits', text.includes('aten::to (2)'));
say('engines', find('#engines').hidden);
)",
                                       "gpu.html");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["gpu"], "false");
  for (const char* place : {"busy", "copies", "waits", "engines"}) {
    EXPECT_EQ(results[place], "true") << place;
  }
}

// Nothing stands out of its card, however long a name is, and no section is empty.
TEST_F(ReportPage, OfOtherToolsHoldsLongNames) {
  std::string trace = text_of(source_dir() / "tests" / "profiles" / "pytorch" / "copies.json");
  const std::string name = "aten::to";
  const std::string longer = "aten::to_" + std::string(120, 'x');
  for (size_t at = trace.find(name + "\""); at != std::string::npos;
       at = trace.find(name + "\"", at + longer.size())) {
    trace.replace(at, name.size(), longer);
  }
  std::ofstream(file("long_trace.json")) << trace;
  const std::string counted = (source_dir() / "tests" / "profiles" / "ncu.csv").string();
  const std::string script = R"(
const outside = (e) => {
  const card = e.closest('.card');
  return card !== null && e.getBoundingClientRect().right > card.getBoundingClientRect().right + 1;
};
say('cards', document.querySelectorAll('#gpu_body .card').length);
say('outside', [...document.querySelectorAll('#gpu_body *')].filter(outside).length);
say('roofline', find('#roofline').hidden);
)";
  hone({"profile", "--import", file("long_trace.json"), "--json", file("long.json")});
  hone({"report", file("long.json"), "-o", file("long.html")});
  const std::string output =
      browse(with_script("long_names.html", script, "long.html"), {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_NE(results["cards"], "0");
  EXPECT_EQ(results["outside"], "0");
  hone({"profile", "--import", counted, "--json", file("ncu.json")});
  hone({"report", file("ncu.json"), "-o", file("ncu.html")});
  auto of_ncu =
      results_in(browse(with_script("ncu_page.html", script, "ncu.html"), {"--dump-dom"}));
  EXPECT_EQ(of_ncu["roofline"], "true");
}

// Engines in place of threads and roofs, and what the host was left: of a float network, all of it.
TEST_F(ReportPage, OfAnNpuShowsEnginesAndWhatTheHostHas) {
  hone({"profile", "zoo:ds_cnn_kws", "-d", "npu", "--json", file("npu.json")});
  hone({"report", file("npu.json"), "-o", file("npu.html")});
  const std::string page = with_script("engines.html", R"(
say('engines', find('#engines').hidden);
say('busy', find('#engines_body').textContent.includes('matrix engine'));
say('host', document.querySelectorAll('#host tbody tr').length > 0);
say('reason', [...document.querySelectorAll('#host .words')].some((each) => each.textContent.includes('f32')));
say('roofline', find('#roofline').hidden);
say('columns', [...document.querySelectorAll('#layer_table th button')]
    .map((each) => each.textContent).slice(0, 6).join(' '));
say('tracks', current().profile.tracks.length);
rows()[0].querySelector('.pick').click();
say('detail', find('#detail .engine_bars').textContent.includes('Waiting for'));
)",
                                       "npu.html");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["engines"], "false");
  for (const char* place : {"busy", "host", "reason", "roofline", "detail"}) {
    EXPECT_EQ(results[place], "true") << place;
  }
  EXPECT_EQ(results["columns"], "layer time share MACs waits for");
  EXPECT_EQ(results["tracks"], "5");
}

// Results without profiles: pages of documents, in the same look.
TEST_F(ReportPage, OfEveryOtherResultOpensWithoutAComplaint) {
  const std::string kws = (source_dir() / "examples/kws/").string();
  hone({"validate", "zoo:ds_cnn_kws", "--max-peak-memory", "1GB", "--json", file("v.json")});
  hone({"quantize", kws + "kws.onnx", "--data", kws + "calibration", "-o", file("int8.onnx"),
        "--json", file("q.json")});
  hone({"compare", "zoo:ds_cnn_kws", "-d", "npu,jetson-nano", "--json", file("c.json")});
  hone({"compile", "zoo:ds_cnn_kws:int8", "-d", "npu", "--json", file("p.json")});
  std::ofstream(file("points.csv")) << "model,latency_ms\nzoo:ds_cnn_kws,5\nzoo:resnet8,40\n";
  hone({"calibrate", "-d", "raspberry-pi-4", "--points", file("points.csv"), "-o",
        file("fitted.toml"), "--json", file("f.json")});
  const std::map<std::string, std::string> titles = {{"v", "Validation of zoo:ds_cnn_kws on cpu"},
                                                     {"q", "kws.onnx quantized for cpu"},
                                                     {"c", "zoo:ds_cnn_kws on 2 devices"},
                                                     {"p", "zoo:ds_cnn_kws:int8 compiled for npu"},
                                                     {"f", "raspberry-pi-4, fitted"}};
  for (const auto& [name, title] : titles) {
    hone({"report", file((name + ".json").c_str()), "-o", file((name + ".html").c_str())});
    const std::string output = browse(file((name + ".html").c_str()), {"--dump-dom"});
    EXPECT_EQ(complaints(output), "") << name;
    EXPECT_NE(output.find("<h1>" + title + "</h1>"), std::string::npos) << name;
    EXPECT_NE(output.find("<a href=\"#d0_0\">"), std::string::npos) << name;
  }
}

// The page of an inspection draws the network and sorts counts with their units.
TEST_F(ReportPage, OfAnInspectionDrawsTheNetwork) {
  hone({"inspect", "zoo:ds_cnn_kws", "--json", file("i.json")});
  hone({"report", file("i.json"), "-o", file("i.html")});
  const std::string page = with_script("i_page.html", R"(
say('verdict', find('.verdict').textContent.includes('MACs a run'));
say('command', find('.next code').textContent);
const boxes = [...document.querySelectorAll('.network .box')];
const layers = [...document.querySelectorAll('table')].find((e) => e.textContent.includes('read and written'));
say('boxes', boxes.length > 10 && boxes.length === layers.tBodies[0].rows.length);
say('lines', document.querySelectorAll('.network .wire').length >= boxes.length - 1);
say('warm', boxes.some((box) => box.querySelectorAll('rect').length === 2));
const macs = [...layers.querySelectorAll('th button')].find((e) => e.textContent === 'MACs');
macs.click();
macs.click();
const units = {k: 1e3, M: 1e6, G: 1e9};
const counts = [...layers.tBodies[0].rows].map((row) => {
  const [digits, unit] = row.cells[4].textContent.split(' ');
  return Number(digits) * (units[unit] ?? 1);
});
say('sorted', counts.every((c, i) => i === 0 || c <= counts[i - 1]));
)",
                                       "i.html");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["verdict"], "true");
  EXPECT_EQ(results["command"], "hone profile zoo:ds_cnn_kws");
  EXPECT_EQ(results["boxes"], "true");
  EXPECT_EQ(results["lines"], "true");
  EXPECT_EQ(results["warm"], "true");
  EXPECT_EQ(results["sorted"], "true");
}

TEST_F(ReportPage, OfTimedNetworksHasBarsAndAVerdict) {
  hone({"bench", "models", "--models", "zoo:ds_cnn_kws", "zoo:resnet8", "-t", "0", "--json",
        file("b.json")});
  hone({"report", file("b.json"), "-o", file("b.html")});
  const std::string page = with_script("b_page.html", R"(
say('verdict', find('.verdict').textContent.includes(' is the fastest of 2, '));
say('sure', find('.verdict').textContent.includes('their 95 % intervals '));
say('command', find('.next code').textContent.startsWith('hone diagnose zoo:'));
say('bars', document.querySelectorAll('svg.rows .beam').length);
say('whiskers', document.querySelectorAll('svg.rows .whisker').length);
)",
                                       "b.html");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["verdict"], "true");
  EXPECT_EQ(results["sure"], "true");
  EXPECT_EQ(results["command"], "true");
  EXPECT_EQ(results["bars"], "2");
  EXPECT_EQ(results["whiskers"], "2");
}

// In a narrow window the chart is the narrow one, and does not scroll sideways.
TEST_F(ReportPage, OfAComparisonFitsANarrowWindow) {
  hone({"compare", "zoo:ds_cnn_kws", "-d", "npu,jetson-nano,raspberry-pi-4", "--json",
        file("devices.json")});
  hone({"report", file("devices.json"), "-o", file("devices.html")});
  const std::string page = with_script("narrow_page.html", R"(
const scroller = find('figure .scroll');
say('narrow', find('svg.narrow').clientWidth > 200);
say('wide', find('svg.wide').clientWidth);
say('scrolls', scroller.scrollWidth > scroller.clientWidth);
)",
                                       "devices.html");
  const std::string output = browse(page, {"--dump-dom", "--window-size=500,900"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["narrow"], "true");
  EXPECT_EQ(results["wide"], "0");
  EXPECT_EQ(results["scrolls"], "false");
}

// A comparison has its verdict on top, both kinds of axes, and a line for each device, in any order: of a few
// devices a column each.
TEST_F(ReportPage, OfAComparisonCanBeTurnedOver) {
  hone({"compare", "zoo:ds_cnn_kws", "-d",
        "npu,jetson-nano,raspberry-pi-4,raspberry-pi-5,ethos-u55-128", "--json",
        file("devices.json")});
  hone({"report", file("devices.json"), "-o", file("devices.html")});
  const std::string page = with_script("devices_page.html", R"(
say('verdict', find('.verdict').textContent.includes('is the fastest of 5 devices'));
say('command', find('.next code').textContent.startsWith('hone diagnose zoo:ds_cnn_kws'));
const figure = find('figure');
const shown = () => [...figure.querySelectorAll('div[data-scale]')].filter((e) => !e.hidden);
say('log', shown()[0].dataset.scale);
figure.querySelector('button[data-scale=linear]').click();
say('linear', shown().length === 1 && shown()[0].dataset.scale);
const table = [...document.querySelectorAll('table')].find((e) => e.textContent.includes('latency median'));
const names = () => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent.split(' ')[0]);
say('devices', names().join(' '));
const latency = [...table.querySelectorAll('th button')].find((e) => e.textContent.startsWith('latency median'));
latency.click();
const times = () => [...table.tBodies[0].rows].map((row) => parseFloat(row.cells[2].textContent));
say('up', latency.closest('th').ariaSort + times().every((t, i) => i === 0 || t >= times()[i - 1]));
latency.click();
say('down', latency.closest('th').ariaSort + times().every((t, i) => i === 0 || t <= times()[i - 1]));
)",
                                       "devices.html");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["verdict"], "true");
  EXPECT_EQ(results["command"], "true");
  EXPECT_EQ(results["log"], "log");
  EXPECT_EQ(results["linear"], "linear");
  EXPECT_EQ(results["devices"], "npu jetson-nano raspberry-pi-4 raspberry-pi-5 ethos-u55-128");
  EXPECT_EQ(results["up"], "ascendingtrue");
  EXPECT_EQ(results["down"], "descendingtrue");
  hone({"compare", "zoo:ds_cnn_kws", "-d", "npu,jetson-nano", "--json", file("few.json")});
  hone({"report", file("few.json"), "-o", file("few.html")});
  const std::string few = with_script("few_page.html", R"(
const table = [...document.querySelectorAll('table')].find((e) => e.textContent.includes('latency median'));
say('devices', [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent.split(' ')[0]).join(' '));
say('whole', table.parentElement.scrollWidth <= table.parentElement.clientWidth);
)",
                                      "few.html");
  results = results_in(browse(few, {"--dump-dom", "--window-size=1400,900"}));
  EXPECT_EQ(results["devices"], "npu jetson-nano");
  EXPECT_EQ(results["whole"], "true");
}

// Beside a profile they are sections of its page, which finds them for its bar.
TEST_F(ReportPage, OfAProfileTakesOtherResultsIn) {
  hone({"validate", "zoo:ds_cnn_kws", "--max-peak-memory", "1GB", "--json", file("v.json")});
  hone({"report", file("a.json"), file("v.json"), "-o", file("both.html")});
  const std::string page = with_script("with.html", R"(
say('verdict', find('#d0_0 .verdict_chip.good').textContent);
say('layers', rows().length);
say('nav', [...document.querySelectorAll('nav a')].some((each) => each.textContent === 'Verdict'));
)",
                                       "both.html");
  const std::string output = browse(page, {"--dump-dom"});
  EXPECT_EQ(complaints(output), "");
  auto results = results_in(output);
  EXPECT_EQ(results["verdict"], "pass");
  EXPECT_EQ(results["layers"], "12");
  EXPECT_EQ(results["nav"], "true");
}

uint32_t big_endian(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

TEST_F(ReportPage, LooksLikeSomething) {
  browse(file("report.html"), {"--screenshot=" + file("page.png")});
  browse("/dev/null", {"--screenshot=" + file("blank.png")});
  const std::string page = text_of(file("page.png"));
  const std::string blank = text_of(file("blank.png"));
  ASSERT_GT(page.size(), 24u);
  EXPECT_TRUE(page.starts_with("\x89PNG\r\n"));
  EXPECT_EQ(big_endian(page, 16), 1280u);
  EXPECT_EQ(big_endian(page, 20), 900u);
  // Text and charts do not compress as an empty page does.
  EXPECT_GT(page.size(), 50000u);
  EXPECT_GT(page.size(), 10 * blank.size());
}

}  // namespace
}  // namespace hone
