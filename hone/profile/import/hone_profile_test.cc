#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hone/profile/import/import_testing.h"
#include "hone/profile/profile_json.h"
#include "hone/profile/result_file.h"

namespace hone {
namespace {

std::string result_text(const nlohmann::ordered_json& results) {
  return nlohmann::ordered_json{{"schema_version", kResultSchema}, {"results", results}}.dump();
}

TEST(ImportHoneProfile, IsTheProfileThatWasWritten) {
  const nlohmann::ordered_json json = profile_to_json(import_text("pytorch", kPytorchSample));
  const std::string text = result_text(json);
  EXPECT_TRUE(importer_named("hone_profile").recognizes(text));
  EXPECT_EQ(profile_to_json(import_text("hone_profile", text)).dump(), json.dump());
}

TEST(ImportHoneProfile, RefusesOtherResults) {
  EXPECT_EQ(import_error("hone_profile", result_text({{"kind", "bench"}})), "holds no profile");
  const std::string cut = result_text({{"kind", "profile"}}).substr(0, 40);
  EXPECT_NE(import_error("hone_profile", cut).find("cut off"), std::string::npos);
}

}  // namespace
}  // namespace hone
