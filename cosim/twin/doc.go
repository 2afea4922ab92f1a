// Package twin gives the components of packages hw and nic the ports of their Verilog twins, so that both can be
// compared and RTL can replace a component.
//
//	Twin --New(parameters)--> Model (a cosim.Device)
//	     --WriteSources-----> Verilog
//	     --Mutants----------> Verilog with a mistake, which lockstep must detect
//
// All lists the components. A fabric may add twins with their own Verilog (Twin.Own), so functions accept a list of
// twins.
package twin
