// Import rules of the operators in this folder.
#pragma once

#include "hone/base/result.h"

namespace hone {

class TfliteImport;

Status import_svdf(TfliteImport& in);
Status import_rnn(TfliteImport& in);
Status import_sequence_rnn(TfliteImport& in);
Status import_bidirectional_rnn(TfliteImport& in);
Status import_lstm(TfliteImport& in);
Status import_sequence_lstm(TfliteImport& in);
Status import_bidirectional_lstm(TfliteImport& in);

}  // namespace hone
