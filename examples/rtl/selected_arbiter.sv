// A priority arbiter that shows the granted requester as a number.
module selected_arbiter #(
    parameter int N = 4,
    localparam int W = N > 1 ? $clog2(N) : 1
) (
    input  logic         clk_i, rst_i,
    input  logic [N-1:0] want_i,
    output logic         busy_o,
    output logic [W-1:0] sel_o
);
    // The lowest request wins and keeps the grant while it requests.
    always_ff @(posedge clk_i)
        if (rst_i) {busy_o, sel_o} <= '0;
        else if (!(busy_o && want_i[sel_o])) begin
            busy_o <= |want_i;
            for (int i = N - 1; i >= 0; i--) if (want_i[i]) sel_o <= W'(i);
        end
endmodule
