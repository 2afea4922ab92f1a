/* keeps_rules.c for a run with a schedule, which it does not follow. */
#define STARLOOM_SCHEDULE
#include "keeps_rules.c"
