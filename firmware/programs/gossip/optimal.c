/* gossip/optimal: the automaton of gossip/fsa with orders of the fewest steps, 3N - m for N =
 * 2^m - 1, which the network puts into the ROM. */
#include "fsa.c"
