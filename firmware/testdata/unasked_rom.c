#include "starloom.h"
typedef struct { int x; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)nic; (void)s; }
static void on_slot(sl_nic *nic, state_t *s) { s->x = (int)sl_rom(nic, 0) + (int)sl_machine_rom(nic, 0); }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
