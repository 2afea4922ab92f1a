/* Attaches a bank at an address that it likes. */
#include <stdint.h>
__attribute__((export_name("starloom_abi"))) uint32_t abi(void) { return 3; }
__attribute__((export_name("starloom_bank"))) uint32_t bank(void) { return 0x10000 - 8; }
__attribute__((export_name("starloom_attach"))) 
uint32_t attach(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    (void)a; (void)b; (void)c; (void)d;
    return 0x10000 - 8;
}
__attribute__((export_name("starloom_start"))) void start(uint32_t a) { (void)a; }
__attribute__((export_name("starloom_slot"))) void slot(uint32_t a, uint32_t b) { (void)a; (void)b; }
