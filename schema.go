package starloom

import (
	"reflect"

	"starloom/internal/config"
)

// Schema returns the JSON Schema (draft 2020-12) of scenario files, derived from the Scenario type, for editors and
// other tools. LoadScenario also checks relations between values that a schema cannot express, such as the length of
// a permutation.
func Schema() ([]byte, error) { return Networks(nil).Schema() }

// Schema is the function Schema, and includes these networks.
func (list Networks) Schema() ([]byte, error) {
	described, err := list.described()
	if err != nil {
		return nil, err
	}
	return described.Schema()
}

// NetlistSchema returns the JSON Schema of files that draw a network, the keys of fabric.netlist.
func (list Networks) NetlistSchema() ([]byte, error) {
	described, err := list.described()
	if err != nil {
		return nil, err
	}
	return described.PartSchema("netlist", "Starloom netlist", "urn:starloom:netlist:1")
}

func (list Networks) described() (*config.Described, error) {
	if err := list.Check(); err != nil {
		return nil, err
	}
	types := []reflect.Type{
		reflect.TypeFor[Scenario](), reflect.TypeFor[Fabric](), reflect.TypeFor[Link](),
		reflect.TypeFor[NIC](), reflect.TypeFor[Firmware](), reflect.TypeFor[CPU](), reflect.TypeFor[Workload](),
		reflect.TypeFor[OneToAll](), reflect.TypeFor[Adversary](), reflect.TypeFor[Rules](), reflect.TypeFor[CollisionFree](),
		reflect.TypeFor[Stop](), reflect.TypeFor[VCDTrace](), reflect.TypeFor[PCAPNGTrace](), reflect.TypeFor[RTL](),
		reflect.TypeFor[Fault](), reflect.TypeFor[FaultSlots](), reflect.TypeFor[RandomFault](),
	}
	return &config.Described{Types: types, BuiltIn: new(Fabric).kinds(),
		More: config.Networks(list), Twins: list.Twins()}, nil
}
