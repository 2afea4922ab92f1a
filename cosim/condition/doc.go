// Package condition parses conditions over the ports of a model, which restrict a stimulus or select the cycles in
// which an output is compared.
//
//	"push_i -> !full_o && $past(ready)"
//	    scan --> parse --> size --> compile --> Holds: on words
//	                          \---> Verilog: the same, as text
//
// A condition is an unsigned Verilog expression. Names are ports of the model, with or without their suffix, and the
// model's parameters. Widths follow IEEE 1364, so that Verilog tools compute the same value from the text of Verilog.
// A condition reads inputs and outputs of the model, but never outputs of the RTL; otherwise faulty RTL,
// such as a FIFO that is always full, could hide its fault.
//
//	operand      count_o, request[3], request[index], frame[15:8], DEPTH, 12, 8'hff
//	in order     ! ~ - & ~& | ~| ^ ~^ of one operand
//	             *, + -, << >>, < <= > >=, == !=, &, ^ ~^, |, &&, ||, ? :, ->
//	{a, b}, {4{a}}
//	$past(e)     e in the previous cycle; always 0 in the first one after a reset
//	$onehot(e)   exactly one bit is 1; $onehot0(e): at most one
//
// a -> b is !a || b. A bit beyond the end of a port is 0. A condition is true if any of its bits is 1.
package condition
