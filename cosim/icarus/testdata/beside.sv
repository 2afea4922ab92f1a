// Verilog that ends by itself as it is put together.
module beside #(parameter N = 1) (input a, output b);
  if (N > 1) $fatal(1, "N is %0d", N);
  assign b = a;
endmodule
