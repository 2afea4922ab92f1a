// A FIFO that trusts its neighbours: a push into a full one, or a pop of an empty one, breaks
// it, and what it shows as the head of an empty one is whatever its memory has.
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
