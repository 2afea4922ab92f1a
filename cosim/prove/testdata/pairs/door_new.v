module door (input clk, input rst, input open, input close, input blocked, input limit, output up, output down,
    output alarm);
  reg shut, rising, falling; // one of them, or none while the door is up
  reg [5:0] up_q;             // a ring of the cycles since
  wire wide = !shut && !rising && !falling;
  assign up = rising;
  assign down = falling;
  assign alarm = falling & blocked;
  always @(posedge clk) begin
    up_q <= {up_q[4:0], up_q[5] | wide};
    if (rising && limit) begin
      rising <= 0;
      up_q <= 0;
    end
    if (shut && open) {shut, rising} <= 2'b01;
    if (wide && up_q[4] && close && !blocked) falling <= 1;
    if (falling && (blocked || open)) {rising, falling} <= 2'b10;
    else if (falling && limit) {shut, falling} <= 2'b10;
    if (rst) {shut, rising, falling} <= 3'b100;
  end
endmodule
