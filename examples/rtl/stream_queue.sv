// A FIFO between two sides with valid and ready. If it is empty, an arriving word may leave in the same cycle. Its
// depth is a power of two, and it has no output for the number of its words.
module stream_queue #(
  parameter int unsigned LogDepth = 2,
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             in_valid,
  output logic             in_ready,
  input  logic [Width-1:0] in_data,
  output logic             out_valid,
  input  logic             out_ready,
  output logic [Width-1:0] out_data
);
  logic [2**LogDepth-1:0][Width-1:0] mem_q;
  logic [LogDepth:0] write_q, read_q;
  wire empty = write_q == read_q;

  assign in_ready  = write_q != {~read_q[LogDepth], read_q[LogDepth-1:0]};
  assign out_valid = !empty | in_valid;
  assign out_data  = empty ? in_data : mem_q[read_q[LogDepth-1:0]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else if (!(empty && in_valid && out_ready)) begin
      if (in_valid && in_ready) begin
        mem_q[write_q[LogDepth-1:0]] <= in_data;
        write_q <= write_q + 1'b1;
      end
      if (!empty && out_ready) read_q <= read_q + 1'b1;
    end
  end
endmodule
