`include "step.vh"
module included (input wire [7:0] a_i, output wire [7:0] y_o);
    assign y_o = a_i + `STEP + `EXTRA;
endmodule
