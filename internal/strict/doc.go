// Package strict reads YAML strictly: nothing is coerced, nothing unknown is passed over, and every
// error names file, line and column, and says what is allowed.
//
//	bytes --Document--> nodes --Decoder--> tagged structs, with the place of each value
//	                          --Keys, List, Text ...--> maps of another form
//
// The json tags of a struct are its keys. Its jsonschema tags hold ranges and enumerations, its
// comments or tags descriptions: the published schema and this package read the same ones.
//
//	file         what it holds
//	document.go  the one document of a file, syntax errors, tags
//	assign.go    Assignment: keys that get another value than the document's
//	decoder.go   Decoder: structs, lists, maps of integers
//	fields.go    Fields, Limits, Span: what tags say of a key
//	types.go     which structs a Decoder can fill, and those in them
//	comments.go  Commented: descriptions from the comments of fields
//	number.go    Number: integers that mean the same to every reader
//	values.go    readers of single values, for files that are not structs
//	permutation.go  the destinations in a file of their own
//	schema.go    what a JSON Schema says of types; write.go: keys as a file
//	say.go       places and words of errors
package strict
