/* bus/improved: the firmware of bus/two-phase with a schedule in which left-over vertices cost no
 * steps of their own where that is possible. */
#include "two-phase.c"
