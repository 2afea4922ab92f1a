#include "starloom.h"
typedef struct { int x; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)nic; (void)s; }
static void on_slot(sl_nic *nic, state_t *s) { sl_accept(nic, (uint32_t)s->x); }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
