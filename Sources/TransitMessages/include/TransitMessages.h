#pragma once
/* All messages of this module; made by scripts/generate-messages. */
#include "transit/gtfs_realtime.pb-c.h"
