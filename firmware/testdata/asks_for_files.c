/* Asks for a file, which firmware may not. */
#include "starloom.h"
__attribute__((import_module("wasi_snapshot_preview1"), import_name("fd_read"))) int32_t fd_read(int32_t fd, void *iovecs, uint32_t count, uint32_t *bytes);
typedef struct { uint32_t bytes; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)s; }
static void on_slot(sl_nic *nic, state_t *s) { s->bytes = (uint32_t)fd_read(0, s, 0, &s->bytes); }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
