/* bus/improved: the firmware of bus/two-phase with a schedule in which left-over vertices need
 * no steps of their own if possible. */
#include "two-phase.c"
