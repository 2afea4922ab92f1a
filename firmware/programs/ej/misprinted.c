/* ej/misprinted: ej/improved with the misprint of the paper.
 *
 * The packet sent via -rho names -rho^2 as its major direction, so one sector is served partly
 * twice, and another one never. */
#define SL_EJ_MAJOR(direction) ((direction) == 4 ? 5 : (direction))
#include "improved.c"
