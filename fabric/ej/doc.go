// Package ej is Eisenstein-Jacobi networks of any dimension, in which every node has six links
// in each dimension, and broadcasting in them (Z. Hussain, "An Improved One-to-All Broadcasting
// in Higher Dimensional Eisenstein-Jacobi Networks").
package ej
