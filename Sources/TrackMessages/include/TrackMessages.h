#pragma once
/* All messages of this module; made by scripts/generate-messages. */
#include "odograph/v1/position.pb-c.h"
