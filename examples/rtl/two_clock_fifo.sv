// A common FIFO between two clocks: Gray-coded pointers through two registers, registered flags, and a reset for each
// side.
module two_clock_fifo #(
    parameter int Depth = 8,
    parameter int Width = 16
) (
    input  logic             wr_clk, wr_rst_n, wr_en,
    input  logic [Width-1:0] wr_data,
    output logic             full,
    input  logic             rd_clk, rd_rst_n, rd_en,
    output logic [Width-1:0] rd_data,
    output logic             empty
);
    localparam int A = $clog2(Depth);
    logic [Width-1:0] mem[Depth];
    logic [A:0] rbin, rgray, wgray_r1, wgray_r2;

    // Write side
    logic [A:0] wbin, wgray, rgray_w1, rgray_w2;
    wire [A:0] wbin_next = wbin + {{A{1'b0}}, wr_en && !full};
    wire [A:0] wgray_next = (wbin_next >> 1) ^ wbin_next;
    always_ff @(posedge wr_clk or negedge wr_rst_n)
        if (!wr_rst_n) begin
            {wbin, wgray, rgray_w1, rgray_w2} <= '0;
            full <= 1'b0;
        end else begin
            {wbin, wgray} <= {wbin_next, wgray_next};
            {rgray_w2, rgray_w1} <= {rgray_w1, rgray};
            full <= wgray_next == {~rgray_w2[A:A-1], rgray_w2[A-2:0]};
        end
    always_ff @(posedge wr_clk) if (wr_en && !full) mem[wbin[A-1:0]] <= wr_data;

    // Read side
    wire [A:0] rbin_next = rbin + {{A{1'b0}}, rd_en && !empty};
    wire [A:0] rgray_next = (rbin_next >> 1) ^ rbin_next;
    always_ff @(posedge rd_clk or negedge rd_rst_n)
        if (!rd_rst_n) begin
            {rbin, rgray, wgray_r1, wgray_r2} <= '0;
            empty <= 1'b1;
        end else begin
            {rbin, rgray} <= {rbin_next, rgray_next};
            {wgray_r2, wgray_r1} <= {wgray_r1, wgray};
            empty <= rgray_next == wgray_r2;
        end
    assign rd_data = mem[rbin[A-1:0]];
endmodule
