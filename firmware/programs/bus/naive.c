/* bus/naive: the firmware of bus/two-phase with the schedule that gathers all items in
 * one vertex, and tells all from there. */
#include "two-phase.c"
