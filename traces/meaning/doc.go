// Package meaning holds what figures mean: the form in which a package says so of those that it makes.
//
// A package that makes figures has a file metrics.yaml beside its code, which is a list of groups:
//
//   - group: traffic        the word that stands for the whole group
//     title: Traffic
//     where: in which outputs its figures stand
//     kind: metric          one of Kinds
//     source: of those that have none of their own
//     entries:
//   - {name: offered, means: ..., unit: ..., range: ..., counted: ..., source: ...}
//
// Package internal/explain finds them by name. This package imports nothing of Starloom, so that all others may import it.
package meaning
