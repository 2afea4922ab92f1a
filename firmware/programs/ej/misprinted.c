/* ej/misprinted: ej/improved as it is printed.
 *
 * The packet that is sent via -rho names -rho^2 as its major direction, so that one sector is
 * served twice in part, and never in the other. */
#define SL_EJ_MAJOR(direction) ((direction) == 4 ? 5 : (direction))
#include "improved.c"
