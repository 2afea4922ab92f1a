// Package cosimtest is for tests of the packages of cosim that build RTL.
//
//	file   what it holds
//	cache.go       the folder of builds that all tests share
//	lock_unix.go   one process at a time fills it; lock_other.go: elsewhere each may
package cosimtest
