`default_nettype none

// Round robin among N requests; the grant is registered: one cycle of latency.
module arbiter #(
    parameter N = 16,
    parameter B = 4
) (
    input  wire         clk_i,
    input  wire         rst_ni,
    input  wire [N-1:0] req_i,
    output reg  [N-1:0] gnt_o,
    output reg  [B-1:0] last_o
);
    integer       i;
    reg     [B-1:0] k;
    reg     [N-1:0] gnt_d;
    reg     [B-1:0] last_d;

    always @* begin
        gnt_d  = {N{1'b0}};
        last_d = last_o;
        for (i = N; i >= 1; i = i - 1) begin
            k = last_o + i[B-1:0];
            if (req_i[k]) begin
                gnt_d    = {N{1'b0}};
                gnt_d[k] = 1'b1;
                last_d   = k;
            end
        end
    end

    always @(posedge clk_i or negedge rst_ni)
        if (!rst_ni) begin
            gnt_o  <= {N{1'b0}};
            last_o <= {B{1'b0}};
        end else begin
            gnt_o  <= gnt_d;
            last_o <= last_d;
        end
endmodule
