#pragma once
/* All messages of this module; made by scripts/generate-messages. */
#include "map/osm_pbf.pb-c.h"
