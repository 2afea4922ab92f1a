/* Asks the host for something that the ABI does not have. */
#include "starloom.h"
__attribute__((import_module("env"), import_name("open_file"))) uint32_t open_file(const char *name);
typedef struct {
    uint32_t file;
} state_t;
static void on_start(sl_nic *nic, state_t *s) {
    (void)nic;
    s->file = open_file("/etc/passwd");
}
static void on_slot(sl_nic *nic, state_t *s) {
    (void)nic;
    (void)s;
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
