// Package twin gives the components of packages hw and nic the ports of their Verilog, so
// that the two can be compared, and RTL can take a component's place.
//
//	Twin --New(parameters)--> Model (a cosim.Device)
//	     --WriteSources-----> Verilog
//	     --Mutants----------> Verilog with a mistake, which lockstep has to find
//
// All lists the components. A fabric may bring twins of its own, with their Verilog
// (Twin.Own): callers pass a list of twins.
package twin
