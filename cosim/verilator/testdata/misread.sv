// What Verilator reads as the source says it, then what it does not.
module misread (input [31:0] i, output logic [31:0] o, output reg [3:0] p, q, r, output reg s, u, v, w, x,
  output logic [13:0] in, output logic [28:0] out);
  wire k = i[1];
  wire signed [3:0] a = i[3:0];
  wire signed [7:0] b = i[11:4];
  reg [3:0] start [0:3];
  initial begin start[0] = 1; start[1] = 2; start[2] = 4; start[3] = 9; end
  localparam L = 3;
  function f(input x); f = x ^ k; endfunction
  function f2(input x); f2 = ~f(x); endfunction
  function [3:0] g(input [1:0] x); g = start[x] + L; endfunction

  always_comb o = f(i[0]);
  always @* p = g(i[3:2]);                                // what it reads never changes
  always @* if (k) q = f(i[4]); else q = 0;               // k is read here, too
  always @(k or i) r = f(i[4]);
  always @* case (a) b: s = 1; -8'sd3: s = 0; default: s = a[0]; endcase
  always @* case (a) 4'd9: u = 1; 4'sd3: u = 0; default: u = a[0]; endcase   // all have four bits
  always @* case (i[3:0]) 8'd99: v = 1; 9: v = 0; default: v = a[0]; endcase
  function automatic [3:0] ones(input [7:0] x); logic [3:0] n = 0; for (int j = 0; j < 8; j++) n += x[j]; return n; endfunction
  function [3:0] ones2(input [7:0] x); logic [3:0] n; n = 0; for (int j = 0; j < 8; j++) n += x[j]; return n; endfunction
  always_comb begin automatic logic n = i[3]; w = n; foreach (i[z]) w ^= i[z]; end
  always_comb in[0] = a inside {[4'sd2:4'sd5], -4'sd1};
  always_comb in[1] = i[3:0] inside {[8'd3:8'd15]} || int'(a) >= 32'd5 || a ==? 8'd15;
  always_comb {>>{in[5:2]}} = {<<2{a}};
  always_comb {<<{in[7:6], in[9:8]}} = a;
  assign in[13:10] = list.sum() + list.xor() + few.or();
  logic [3:0] list [4]; logic bits [4]; logic [1:0] few [2];

  // Otherwise:
  always @* x = f(i[5]);
  always @* if (i[7]) $display(f2(i[5])); // two functions deep
  always_comb case (a) b: u2 = 1; 8'd200: u2 = 0; default: u2 = 0; endcase
  reg u2;
  function [3:0] ones3(input [7:0] x); logic [3:0] n = 0; for (int j = 0; j < 8; j++) n += x[j]; return n; endfunction
  always_comb begin int n = 1; u3 = n + ones(i) + ones2(i) + ones3(i); end
  reg [3:0] u3;
  always_comb out[0] = a inside {8'd15};
  always_comb out[1] = a inside {[8'd3:8'd15]};
  always_comb out[9:2] = {<<{a}};
  always_comb out[17:10] = {>>2{a}};
  always_comb {<<{out[19:18], out[21:20]}} = b;
  assign out[24:22] = bits.sum();
  always_comb case (a) inside [-2:1], 7: out[28] = 1; default: out[28] = 0; endcase
  assign out[27:25] = few.product() + 1;
endmodule
