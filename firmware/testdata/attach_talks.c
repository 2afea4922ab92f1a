/* Logs, probes, delivers and gives up while it attaches its bank. */
#include "starloom.h"
SL_EXPORT(starloom_abi) uint32_t abi(void) { return SL_ABI_VERSION; }
SL_EXPORT(starloom_bank) sl_bank *bank(void) { return &starloom_bank; }
SL_EXPORT(starloom_attach) uint32_t attach(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    (void)a; (void)b; (void)c; (void)d;
    sl_host_log("hello", 5);
    sl_host_probe(0, 1);
    sl_host_deliver(0);
    sl_host_fail(9);
    return 0;
}
SL_EXPORT(starloom_start) void start(uint32_t a) { (void)a; }
SL_EXPORT(starloom_slot) void slot(uint32_t a, uint32_t b) { (void)a; (void)b; }
