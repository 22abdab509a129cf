#include <features.h>
#include <zlib.h>
