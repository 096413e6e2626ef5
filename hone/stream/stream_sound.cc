#include "hone/stream/stream_sound.h"

#include "hone/audio/wav.h"

namespace hone {

std::string expected_sound(const StreamRecipe& recipe) {
  const int rate = recipe.mfcc.options().rate;
  return str(rate, " in one (sox IN.wav -r ", rate, " -c 1 -b 16 OUT.wav)");
}

Result<std::vector<int16_t>> read_sound(const std::filesystem::path& path,
                                        const StreamRecipe& recipe) {
  HONE_TRY(const Sound sound, read_wav(path));
  if (sound.rate != recipe.mfcc.options().rate || sound.channels != 1) {
    return bad_input(path.string(), ": has ", sound.rate, " samples a second in ",
                     sound.channels == 1 ? "one channel" : "two channels", ", expected ",
                     expected_sound(recipe));
  }
  return pcm_of(sound);
}

}  // namespace hone
