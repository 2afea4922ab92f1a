/* bus/naive: the firmware of bus/two-phase with the schedule that gathers all items in one
 * vertex, which then sends them to all. */
#include "two-phase.c"
