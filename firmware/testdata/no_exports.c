/* Exports nothing but its memory. */
#include <stdint.h>
__attribute__((export_name("answer"))) uint32_t answer(void) { return 42; }
