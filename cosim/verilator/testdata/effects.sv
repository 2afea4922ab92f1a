// Calls with effects that are certain and have their place, then what is not.
module effects (input clk, input [31:0] i, output logic [31:0] o, p, q);
  logic [3:0] g, h, u;
  function automatic logic [3:0] clean(input [3:0] x); logic [3:0] t; t = x + 1; return t ^ i[3:0]; endfunction
  function automatic logic [3:0] up(input [3:0] x); g = g + 1; return x; endfunction
  function automatic logic [3:0] below(input [3:0] x); return up(x) + 1; endfunction
  function [3:0] sum(input [7:0] x); integer n; begin sum = 0; for (n = 0; n < 8; n = n + 1) sum = sum + x[n]; end endfunction
  function [3:0] full(input [1:0] s); reg [3:0] t; begin case (s) 0: t = 5; 1: t = 7; 2, 3: t = 9; endcase full = t; end endfunction
  function [3:0] leaves(input [1:0] s); reg [3:0] t; begin if (s == 0) return 3; else t = s; leaves = t; end endfunction
  task automatic copies(inout [3:0] x, input [3:0] y, output [3:0] z); x = x + y; z = x; endtask
  task automatic writes(output [3:0] x); x = i[3:0]; g = u; endtask
  always_comb begin
    g = 0;
    h = i[0] ? clean(i[3:0]) : i[1] && clean(i[7:4]) != 0;
    h = h + up(i[3:0]) + 1;
    if (up(i[4:1]) == 3) h = sum(i[7:0]) + full(i[1:0]) + leaves(i[1:0]);
    else if (up(2) == 2) h = clean(up(i[7:4])) + i[3:0];
    u = 3;
    copies(u, u, h);
    writes(u);
    o = {20'd0, u, g, h};
    for (int k = 0; k < 3; k++) u = u + k++;
  end
  // Otherwise:
  task automatic twice(inout [3:0] x, inout [3:0] y, output [3:0] z); x = x + 1; y = y + 1; z = 0; endtask
  task automatic indeed(inout [3:0] x); x = x + 1; deeper(); endtask
  task automatic deeper(); g = u; endtask
  function [3:0] last(input [3:0] x); reg [3:0] t; begin last = t; t = x; end endfunction
  function [3:0] perhaps(input [3:0] x); reg [3:0] t; begin if (x[0]) t = x; perhaps = t; end endfunction
  task stops(); if (i[9]) $finish; endtask
  function automatic logic halts(); stops(); return 1; endfunction
  function automatic logic gives(output [3:0] x); x = 3; return 1; endfunction
  always @(posedge clk) begin
    p[3:0] = i[0] ? 4'd1 : up(i[3:0]);
    p[4] = i[0] && up(i[3:0]) != 0 || i[1];
    p[5] = i[0] || halts();
    p[6] = !i[0] && i[2] -> below(2) == 3;
    p[10:7] = g + up(i[3:0]);
    p[14:11] = up(i[3:0]) - below(i[7:4]);
    p[g] = up(2) != 3;
    p[19:16] = clean(g ^ up(1));
    case (i[3:0]) up(1): p[20] = 1; default: p[20] = 0; endcase
    case (up(i[3:0])) 1: p[21] = 1; 2: p[21] = 0; default: ; endcase
    p[25:22] = u + u++;
    p[26] = i[0] ? gives(h) : i[1];
    twice(u, u, h);
    twice(u, h, h);
    indeed(u);
    q <= last(i[3:0]) ^ perhaps(i[7:4]);
    if (i[0]) h = up(1); else h = up(2);
  end
endmodule
