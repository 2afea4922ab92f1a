// Package meaning defines the format in which packages describe their figures.
//
// A package with figures has a file metrics.yaml beside its code, a list of groups:
//
//   - group: traffic        word for the whole group
//     title: Traffic
//     where: outputs that contain its figures
//     kind: metric          one of Kinds
//     source: source of entries without one of their own
//     entries:
//   - {name: offered, means: ..., unit: ..., range: ..., counted: ..., source: ...}
//
// Package internal/explain finds entries by name. Package meaning imports no other package of Starloom, so that all
// may import it.
package meaning
