// Package nic implements the network interface of a processor: frames, buffers and the registers that firmware sees.
//
//	firmware              NIC                                    fabric
//	handler  --TX FIFO--> Bank.TxHead --wire format--> Serialisers ----> light
//	         <-RX FIFO--- Bank.PushRx <-wire format--- Deserialisers <-- light
package nic
