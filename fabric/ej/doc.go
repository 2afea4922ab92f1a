// Package ej implements Eisenstein-Jacobi networks of any dimension and broadcasts in them (Z. Hussain, "An Improved
// One-to-All Broadcasting in Higher Dimensional Eisenstein-Jacobi Networks"). Every node has six links in each
// dimension.
package ej
