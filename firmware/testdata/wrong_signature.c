/* Has a slot entry point with other parameters. */
#include <stdint.h>
__attribute__((export_name("starloom_abi"))) uint32_t abi(void) { return 1; }
__attribute__((export_name("starloom_attach"))) uint32_t attach(uint32_t a, uint32_t b, uint32_t c, uint32_t d) { return a + b + c + d; }
__attribute__((export_name("starloom_start"))) void start(uint32_t a) { (void)a; }
__attribute__((export_name("starloom_slot"))) void slot(uint64_t a) { (void)a; }
