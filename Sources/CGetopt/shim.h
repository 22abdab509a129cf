#pragma once
#include <getopt.h>

/* getopt's state is in C globals, which Swift 6 refuses: reached through functions, from the main thread only. */
static inline int odograph_optind(void) { return optind; }
static inline void odograph_set_optind(int index) { optind = index; }
static inline int odograph_optopt(void) { return optopt; }
static inline char *odograph_optarg(void) { return optarg; }
static inline void odograph_set_opterr(int value) { opterr = value; }
