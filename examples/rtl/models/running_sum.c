// A model of running_sum.v for `starloom cosim check`.
#include "starloom_model.h"

SL_IN(1, valid)
SL_IN(8, data)
SL_OUT(16, sum) // of the last four words

static uint64_t words[4], next;

void reset(void) {
    for (int i = 0; i < 4; i++) words[i] = 0;
    next = 0;
}

void settle(void) { sum = words[0] + words[1] + words[2] + words[3]; }

void edge(void) {
    if (valid) words[next++ % 4] = data;
}
