// Trees of operators on single bits.
module trees (
  input  wire       a_i, b_i, c_i,
  input  wire [7:0] d_i,
  output wire       xor_o, choice_o, not_o
);
  wire [32:0] high = (!c_i) << 18;
  assign xor_o = (b_i ^ a_i) ^ (a_i ^ (c_i ~^ high[18]));

  wire [1:0] choice = d_i[0] ? ({{7{d_i[3:1]}}, 12'd201} & 2'h2) : (!(a_i) >> 9'b1111);
  assign choice_o = choice[0];

  wire [29:1] wide = ~b_i;
  assign not_o = c_i ? 0 : !(!(~((wide[6:5] | 8'hc6))));
endmodule
