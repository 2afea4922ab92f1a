// Delay line: data_o is the value of data_i CYCLES cycles earlier.
//
// RESET 1: a reset clears the line. RESET 0: the registers have no reset. In the CYCLES cycles after a reset, the
// line empties: data_o is 0, and then filled_o becomes 1.
// Twin of package twin's delay line.
`default_nettype none

module delay_line #(
  parameter integer WIDTH = 8,  // 1..64
  parameter integer CYCLES = 3, // 1..1024
  parameter integer RESET = 0   // 1: a reset clears the data
) (
  input  wire             clock,
  input  wire             reset,
  input  wire [WIDTH-1:0] data_i,
  output wire [WIDTH-1:0] data_o,
  output wire             filled_o
);
  initial if (WIDTH < 1 || WIDTH > 64 || CYCLES < 1 || CYCLES > 1024 || RESET < 0 || RESET > 1) begin
    $display("%m: allowed are WIDTH 1 to 64, CYCLES 1 to 1024, RESET 0 or 1");
    $finish;
  end

  reg [CYCLES*WIDTH-1:0] line_q; // the newest is the lowest
  reg [CYCLES-1:0] filled_q;

  generate
    if (CYCLES > 1) begin : many
      always @(posedge clock) begin
        if (RESET != 0 && reset) line_q <= {CYCLES*WIDTH{1'b0}};
        else line_q <= {line_q[(CYCLES-1)*WIDTH-1:0], data_i};
        filled_q <= reset ? {CYCLES{1'b0}} : {filled_q[CYCLES-2:0], 1'b1};
      end
    end else begin : single
      always @(posedge clock) begin
        line_q <= RESET != 0 && reset ? {WIDTH{1'b0}} : data_i;
        filled_q <= !reset;
      end
    end
  endgenerate

  assign filled_o = filled_q[CYCLES-1];
  assign data_o = RESET != 0 || filled_o ? line_q[(CYCLES-1)*WIDTH +: WIDTH] : {WIDTH{1'b0}};

`ifndef SYNTHESIS
  localparam [CYCLES-1:0] ONE = 1;
  always @(posedge clock) begin
    if (!reset && |(filled_q & (filled_q + ONE))) $fatal(1, "filled: %b", filled_q);
  end
`endif
endmodule

`default_nettype wire
