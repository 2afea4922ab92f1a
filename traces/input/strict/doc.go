// Package strict reads YAML strictly: it coerces nothing, ignores no unknown key, and every error contains file, line
// and column and the allowed values.
//
//	bytes --Document--> nodes --Decoder--> tagged structs, with the place of each value
//	                          --Keys, List, Text ...--> maps of another form
//
// The json tags of a struct are its keys. Its jsonschema tags contain ranges and enumerations, its comments or tags
// descriptions. The published schema and this package use the same ones.
package strict
