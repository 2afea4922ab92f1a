// Port of a crossbar's output: the filter of the requests, followed by the arbiter.
//
// The inputs are those of output_filter.v. grant_o is the arbiter's grant: one-hot, 0 for none, registered, held
// while the request of the input stays high and passes the filter. Reset: not listening, no grant.
// Twin of hw.OutputPorts, for one output.
`default_nettype none

module output_port #(
  parameter integer INPUTS = 4, // 1..1024
  parameter integer KIND = 1    // 0 fixed, 1 round robin, 2 matrix (least recently granted)
) (
  input  wire                 clock,
  input  wire                 reset,
  input  wire                 load_i,
  input  wire                 listen_i,
  input  wire [15:0]          accept_i,
  input  wire [INPUTS-1:0]    request_i,
  input  wire [INPUTS*16-1:0] tag_i,
  output wire [INPUTS-1:0]    grant_o
);
  initial if (INPUTS < 1 || INPUTS > 1024 || KIND < 0 || KIND > 2) begin
    $display("%m: allowed are INPUTS 1 to 1024, KIND 0 to 2");
    $finish;
  end

  localparam integer INDEX_BITS = INPUTS > 64 ? $clog2(INPUTS) : 6;

  wire [INPUTS-1:0] request;
  wire [INDEX_BITS-1:0] index;
  wire unused = &{1'b0, index};

  output_filter #(.INPUTS(INPUTS)) filter (
    .clock(clock), .reset(reset), .load_i(load_i), .listen_i(listen_i), .accept_i(accept_i),
    .request_i(request_i), .tag_i(tag_i), .request_o(request)
  );

  arbiter #(.REQUESTERS(INPUTS), .KIND(KIND)) arbiter (
    .clock(clock), .reset(reset), .request_i(request), .grant_o(grant_o), .index_o(index)
  );
endmodule

`default_nettype wire
