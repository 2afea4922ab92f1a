package cosim

import "embed"

// RTL holds the Verilog twins, one module per file and the file named after it, and
// the register map's header.
//
//go:embed rtl/*.v rtl/*.vh
var RTL embed.FS

// Glue is the C++ between what Verilator makes of a design and columns of words.
//
//go:embed glue
var Glue embed.FS

// VPI is the C of the module that Icarus loads.
//
//go:embed vpi
var VPI embed.FS
