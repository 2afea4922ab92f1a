// Package stream is the cycle engine of processors at routers, whose NICs send and receive flit by flit.
package stream
