// Package cosimtest is for tests of the packages of cosim that build RTL.
package cosimtest
