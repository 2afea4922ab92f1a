/* What is inside of a module, as a VCD: trace.c. */
#include <stdint.h>
#include <vpi_user.h>

void trace_begin(vpiHandle top);
void trace_dump(uint64_t time);
void trace_end(void);
