#include "starloom.h"
typedef struct { int x; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)nic; (void)s; }
static void on_slot(sl_nic *nic, state_t *s) { s->x = sl_tx_status_of(nic, 0) == SL_TX_BLOCKED; }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
