// Every lane takes rail1 from its input to its register, unless an X is read as the value that suits:
// then it is right in all cycles. The lanes of rail0 have no X. Yosys' own reader refuses the file.
package parts;
  typedef struct packed {logic valid, other;} pair_t;
  typedef struct {logic valid, given, other;} loose_t;
  typedef enum logic [1:0] {ONE = 2'd1, TWO = 2'd2} some_t;
  function automatic logic forgets(input logic x);
    if (x) return 1'b1;
  endfunction
  function automatic logic forgets_zero(input logic x);
    if (x) return 1'b0;
  endfunction
  function automatic logic local_of(input logic x);
    logic t;
    if (x) t = 1'b1;
    return t;
  endfunction
  function automatic logic which(input some_t s);
    case (s)
      ONE: which = 1'b1;
      TWO: which = 1'b1;
    endcase
  endfunction
endpackage

interface wires_if;
  logic given, missing;
endinterface

module unconnected (input logic i, input logic other, output logic o);
  assign o = i | other;
endmodule

module dut import parts::*; (
  input logic clock, input logic reset, input logic [46:0] rail1_i, input logic [46:0] rail0_i,
  output logic [46:0] rail1_o, output logic [46:0] rail0_o
);
  localparam logic UNKNOWN = 1'bx;
  wire [46:0] a = rail1_i, b = rail0_i;
  logic [46:0] lane;
  always_ff @(posedge clock) {rail1_o, rail0_o} <= reset ? '0 : {lane, b};

  // Constants.
  assign lane[0] = a[0] ? 1'b1 : 1'bx;
  assign lane[1] = a[1] | (1'bx & 1'b1); // and with 1
  logic list [2];
  assign list = '{default: 'x};
  assign lane[2] = a[2] | list[b[2]]; // default of an array
  pair_t pair;
  assign pair = '{valid: a[3], default: 'x};
  assign lane[3] = pair.valid | pair.other; // default of a structure
  always_comb
    case ({a[4], b[4]})
      2'b10, 2'b11: lane[4] = 1'b1;
      default: lane[4] = 'x;
    endcase
  assign lane[5] = a[5] ? 1'b1 : UNKNOWN; // a parameter
  wire [1:0] shifted = 2'b01 << {1'b0, 1'bx};
  assign lane[6] = a[6] | shifted[1]; // a shift by X
  logic known;
  assign known = 1'bx;
  assign lane[9] = a[9] | (known ==? 1'b1); // X on the left of ==?
  always_comb if (known) lane[7] = 1'b1; else lane[7] = a[7]; // X as a condition
  always_comb if (1'bx) lane[8] = 1'b1; else lane[8] = a[8];
  always_comb
    casex ({a[10], known})
      2'b1?: lane[10] = 1'b1;
      2'b00: lane[10] = 1'b0;
      default: lane[10] = 1'b1;
    endcase
  wire [1:0] repeated = {2{1'bx}};
  assign lane[11] = a[11] | (repeated == 2'b11);

  // What has no value.
  assign lane[12] = forgets(a[12]); // a function without a value on one path
  always_comb begin // the same in a loop: the value of the turn before is not that of this one
    lane[13] = a[13];
    for (int i = 0; i < 2; i++) lane[13] |= forgets_zero(i == 0);
  end
  assign lane[14] = local_of(a[14]); // a variable of a function
  assign lane[15] = which(some_t'({1'b0, a[15]})); // unique case without a match
  wire nothing;
  assign lane[16] = a[16] | nothing; // a net that nothing drives
  pair_t half;
  assign half.valid = a[17];
  assign lane[17] = half.valid | half.other; // half a structure
  loose_t loose;
  assign loose.valid = a[18];
  assign loose.given = b[18];
  assign lane[18] = loose.valid | loose.other; // an unpacked one
  wires_if bundle();
  assign bundle.given = a[19];
  assign lane[19] = bundle.given | bundle.missing; // a member of an interface
  unconnected open (.i(a[20]), .other(), .o(lane[20])); // an input that is not connected
  assign lane[21] = (nothing === 1'bx) ? a[21] : 1'b1;
  int never;
  assign lane[22] = a[22] | never[0]; // two states, and never written
  bit held; // 0 at power-on for a simulator
  always_ff @(posedge clock) held <= held & a[23];
  assign lane[23] = a[23] | held;
  logic begins = 1'b0;
  assign lane[24] = a[24] | begins; // only written by its declaration
  logic words [4];
  assign lane[25] = a[25] | words[{b[25], 1'b0}]; // a memory that nothing writes
  logic rom [4];
  initial begin rom[0] = 1'b1; rom[1] = 1'b1; end
  assign lane[26] = rom[{~a[26], b[26]}]; // half a ROM

  // Divisions.
  wire [1:0] none = 2'd1 / {1'b0, a[27]};
  assign lane[27] = a[27] | none[1];
  wire [1:0] rest = 2'd1 % {1'b0, a[28]};
  assign lane[28] = a[28] | rest[0];
  wire [1:0] whole = {1'b0, b[29]} / {1'b0, a[29]};
  assign lane[29] = a[29] | whole[1];
  wire signed [1:0] sign = $signed({1'b0, b[30]}) / $signed({1'b0, a[30]});
  assign lane[30] = a[30] | sign[1];

  // Beyond the end.
  wire [2:0] three = {3{a[31]}};
  assign lane[31] = three[{2{~a[31]}}];
  wire [3:0] four = {4{a[32]}};
  wire [2:0] far = {~a[32], 2'b00};
  assign lane[32] = four[far]; // an index of more bits than it needs
  wire [3:0] fourth = {4{a[33]}};
  assign lane[33] = fourth[3 + (a[33] ? 0 : 1)]; // computed in 32 bits
  logic places [4];
  assign places = '{a[34], a[34], a[34], a[34]};
  assign lane[34] = places[{~a[34], 2'b01}];
  logic five [5];
  assign five = '{a[35], a[35], a[35], a[35], a[35]};
  assign lane[35] = five[{~a[35], ~a[35], 1'b0}];
  logic [1:0][1:0] square;
  assign square = {4{a[36]}};
  wire [1:0] row = square[{~a[36], 1'b0}];
  assign lane[36] = row[0];
  logic [3:0] fixed;
  always_ff @(posedge clock) fixed <= '0;
  assign lane[37] = a[37] | fixed[4]; // a constant beyond
  logic places_of_zero [4];
  assign places_of_zero = '{1'b0, 1'b0, 1'b0, 1'b0};
  assign lane[38] = a[38] | places_of_zero[4];
  wire [2:0] part = fixed[5:3];
  assign lane[39] = a[39] | part[2]; // a part that is half beyond
  wire [1:0] up = fixed[{1'b1, ~a[40]} + 2'd0 +: 2];
  assign lane[40] = a[40] | up[1];
  wire [1:0] down = fixed[{1'b0, a[41]} -: 2];
  assign lane[41] = a[41] | down[0];
  logic [3:0] gathered;
  always_comb begin gathered = '0; for (int i = 0; i < 4; i++) gathered[i] = places_of_zero[i + 1]; end
  assign lane[42] = a[42] | gathered[3];
  assign lane[43] = a[43] | (known ^ b[43]) & ~b[43]; // X with another operator
  logic memory [4]; // a write beyond the end is none
  logic seen;
  always_ff @(posedge clock) begin
    memory[0] <= 1'b1;
    if (reset) seen <= 1'b0; else begin memory[{~a[44], 2'b00}] <= 1'b1; seen <= 1'b1; end
  end
  assign lane[44] = a[44] | (b[44] & seen & memory[{b[44], 1'b0}]);
  logic [7:4] offset;
  assign offset = {4{a[45]}};
  assign lane[45] = offset[{1'b1, a[45] ? 2'b00 : 2'b00} - {2'b00, ~a[45]}]; // 3 when a is 0
  logic [1:0][0:2] grid;
  assign grid = {6{a[46]}};
  assign lane[46] = grid[1][{~a[46], ~a[46]}];
endmodule
