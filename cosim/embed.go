package cosim

import "embed"

// RTL holds the Verilog twins, one module per file of the same name, and the header of the register map.
//
//go:embed rtl/*.v rtl/*.vh
var RTL embed.FS

// Glue is the C++ between Verilator's model of a design and columns of words.
//
//go:embed glue
var Glue embed.FS

// VPI is the C source of the module that Icarus loads.
//
//go:embed vpi
var VPI embed.FS
