// Drives the arbiter like tb.v does, and dumps it with Verilator's own writer.
#include "Vdut.h"
#include "verilated.h"
#include "verilated_vcd_c.h"

int main() {
    VerilatedContext context;
    context.traceEverOn(true);
    Vdut dut{&context};
    VerilatedVcdC vcd;
    dut.trace(&vcd, 99);
    vcd.open("verilator.vcd");
    unsigned lfsr = 0xACE1;
    dut.clk_i = 0;
    dut.rst_ni = 0;
    dut.request_i = lfsr & 15;
    dut.eval();
    vcd.dump(uint64_t{0});
    for (unsigned half = 1; half < 200; half++) {
        dut.clk_i = half & 1;
        dut.eval();
        if (half & 1) {
            lfsr = ((lfsr << 1) | (((lfsr >> 15) ^ (lfsr >> 13) ^ (lfsr >> 12) ^ (lfsr >> 10)) & 1)) & 0xFFFF;
            dut.request_i = lfsr & 15;
            dut.eval();
        }
        vcd.dump(uint64_t{half} * 5000);
        if (half == 4) {
            dut.rst_ni = 1;
            dut.eval();
            vcd.dump(uint64_t{22000});
        }
    }
    vcd.close();
}
