// Package condition reads conditions over the ports of a model: what a stimulus respects, and
// when an output counts.
//
//	"push_i -> !full_o && $past(ready)"
//	    scan --> parse --> size --> compile --> Holds: on words
//	                          \---> Verilog: the same, as text
//
// A condition is an expression of Verilog without sign: names are ports of the model, with or
// without their ending, and the model's parameters. Widths are those of IEEE 1364, so that Verilog's
// tools compute the same from what Verilog prints. It sees inputs and the model's outputs, never those of
// the RTL: with them, a FIFO that always says full would need no other function.
//
//	operand      count_o, request[3], request[index], frame[15:8], DEPTH, 12, 8'hff
//	in order     ! ~ - & ~& | ~| ^ ~^ of one operand
//	             *, + -, << >>, < <= > >=, == !=, &, ^ ~^, |, &&, ||, ? :, ->
//	{a, b}, {4{a}}
//	$past(e)     e in the cycle before; 0 in the first one after a reset, whatever e is
//	$onehot(e)   exactly one bit is 1; $onehot0(e): at most one
//
// a -> b is !a || b. A bit that an index does not reach is 0. A condition holds if any bit is 1.
package condition
