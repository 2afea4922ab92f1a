// Package strict reads YAML strictly: nothing is coerced, nothing unknown is passed over, and every
// error names file, line and column, and says what is allowed.
//
//	bytes --Document--> nodes --Decoder--> tagged structs, with the place of each value
//	                          --Keys, List, Text ...--> maps of another form
//
// The json tags of a struct are its keys. Its jsonschema tags hold ranges and enumerations, its
// comments or tags descriptions: the published schema and this package read the same ones.
package strict
