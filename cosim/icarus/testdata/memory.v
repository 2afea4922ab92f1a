`default_nettype none

// 256 x 32 bits, one write port, one registered read port; X where nothing has been written.
module memory (
    input  wire        clk_i,
    input  wire        we_i,
    input  wire [7:0]  waddr_i,
    input  wire [31:0] wdata_i,
    input  wire [7:0]  raddr_i,
    output reg  [31:0] rdata_o
);
    reg [31:0] words[0:255];

    always @(posedge clk_i) begin
        if (we_i) words[waddr_i] <= wdata_i;
        rdata_o <= words[raddr_i];
    end
endmodule
