// Ports that cannot be driven from outside.
interface wires;
  logic a;
endinterface

module with_interface (input logic clk_i, wires bus);
endmodule

module with_inout (input wire clk_i, inout wire pad_io);
endmodule

module with_array (input logic clk_i, input logic [3:0] lanes_i [0:1], output logic [3:0] lane_o);
  assign lane_o = lanes_i[0];
endmodule

module with_real (input logic clk_i, output real level_o);
endmodule

module without_ports;
endmodule
