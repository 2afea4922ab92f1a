// A FIFO that relies on its neighbours: a push into the full FIFO or a pop of the empty FIFO corrupts it, and the
// head of the empty FIFO is an arbitrary word of its memory.
module trusting_fifo #(
  parameter int unsigned Depth = 8, // a power of two
  parameter type T = logic [31:0]
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic push_i,
  input  T     data_i,
  input  logic pop_i,
  output T     data_o,
  output logic [$clog2(Depth):0] usage_o
);
  localparam int unsigned Bits = $clog2(Depth);
  T [Depth-1:0] mem_q;
  logic [Bits:0] read_q, write_q;

  assign data_o = mem_q[read_q[Bits-1:0]];
  assign usage_o = write_q - read_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q  <= '0;
      write_q <= '0;
    end else begin
      if (push_i) begin
        mem_q[write_q[Bits-1:0]] <= data_i;
        write_q <= write_q + 1'b1;
      end
      if (pop_i) read_q <= read_q + 1'b1;
    end
  end
endmodule
