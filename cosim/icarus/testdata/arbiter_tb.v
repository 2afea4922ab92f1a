// The arbiter in a loop of its own: the time Icarus takes when no one talks to it.
module arbiter_tb;
    parameter CYCLES = 100000;

    reg         clk = 0, rst_n = 0;
    reg  [15:0] req = 0;
    wire [15:0] gnt;
    wire [3:0]  last;
    integer     n;

    arbiter dut (.clk_i(clk), .rst_ni(rst_n), .req_i(req), .gnt_o(gnt), .last_o(last));

    initial begin
        #1 clk = 1;
        #1 clk = 0;
        rst_n = 1;
        for (n = 0; n < CYCLES; n = n + 1) begin
            req = $random;
            #1 clk = 1;
            #1 clk = 0;
            #1;
        end
    end
endmodule
