// Package studies is what a study asks for, and its rows.
package studies
