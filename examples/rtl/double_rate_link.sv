// A link of two registers at twice the rate, with a reset for each side; the far side numbers its bits in the opposite order.
module double_rate_link (
    input  logic       clk, clk2x, near_rst_n, far_rst,
    input  logic [7:0] near_one, near_zero,
    output logic [0:7] far_one, far_zero,
    output logic       alive
);
    logic [15:0] middle;
    always_ff @(posedge clk2x or negedge near_rst_n)
        if (!near_rst_n) middle <= '0; else middle <= {near_one, near_zero};
    always_ff @(posedge clk2x)
        for (int i = 0; i < 8; i++) begin
            far_one[i] <= !far_rst && middle[8+i];
            far_zero[i] <= !far_rst && middle[i];
        end
    always_ff @(posedge clk) alive <= !far_rst;
endmodule
