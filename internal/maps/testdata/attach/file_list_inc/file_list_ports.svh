input logic [3:0] one_i, zero_i
