// Its tests also check that all backends, including Icarus, behave alike.
package verilator
