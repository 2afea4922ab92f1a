package hw

import (
	"fmt"
	"math"
)

// Shard is a run of units that one worker simulates in one call. A unit is an independent part of a machine, such as
// a group of processors. In a bank with k cells per unit, a shard owns the cells from First*k to End*k-1.
type Shard struct {
	Index      int // index of the shard in the machine
	First, End int // units; End is excluded
}

// ShardsMax is the maximum number of shards of a machine. A few shards per worker are best, because some wires keep
// one list per pair of shards.
const ShardsMax = 256

// Shards divides units into runs of unitsPerShard; the last run may be shorter. Both arguments must be at least 1.
// The runs are longer if ShardsMax would be exceeded. The division never affects results.
func Shards(units, unitsPerShard int) []Shard {
	if units < 1 || unitsPerShard < 1 {
		panic(fmt.Sprintf("hw: %d units in shards of %d; both must be at least 1", units, unitsPerShard))
	}
	unitsPerShard = max(unitsPerShard, (units+ShardsMax-1)/ShardsMax)
	shards := make([]Shard, 0, (units+unitsPerShard-1)/unitsPerShard)
	for first := 0; first < units; first += unitsPerShard {
		shards = append(shards, Shard{Index: len(shards), First: first, End: min(first+unitsPerShard, units)})
	}
	return shards
}

// CheckShards returns an error unless the shards cover the units 0..units-1 and have the indexes 0..len-1, each
// exactly once. The order is arbitrary.
func CheckShards(shards []Shard, units int) error {
	if len(shards) == 0 || len(shards) > ShardsMax {
		return fmt.Errorf("%d shards; allowed: 1 to %d", len(shards), ShardsMax)
	}
	byIndex := make([]bool, len(shards))
	owned := make([]bool, units)
	covered := 0
	for _, s := range shards {
		if s.Index < 0 || s.Index >= len(shards) || byIndex[s.Index] {
			return fmt.Errorf("shard index %d is out of range or used twice", s.Index)
		}
		byIndex[s.Index] = true
		if s.First < 0 || s.First >= s.End || s.End > units {
			return fmt.Errorf("shard %d has units %d to %d, but the machine has %d", s.Index, s.First, s.End-1, units)
		}
		for unit := s.First; unit < s.End; unit++ {
			if owned[unit] {
				return fmt.Errorf("unit %d is in two shards", unit)
			}
			owned[unit] = true
			covered++
		}
	}
	if covered != units {
		return fmt.Errorf("the shards hold %d of %d units", covered, units)
	}
	return nil
}

// ShardOfUnit returns the index of each unit's shard.
func ShardOfUnit(shards []Shard) []uint16 {
	units := 0
	for _, s := range shards {
		units = max(units, s.End)
	}
	owner := make([]uint16, units)
	for _, s := range shards {
		for unit := s.First; unit < s.End; unit++ {
			owner[unit] = uint16(s.Index)
		}
	}
	return owner
}

// Bank names and counts the elements of an array of identical hardware:
//
//	Bank{Unit: "net.group", Name: "coupler", Units: 16, PerUnit: 16}
//
// has 256 elements, and element 49 is net.group[3].coupler[1]. Without Unit the elements are Name[0], Name[1], ....
// With a Part, an element is this part of a larger component, for example net.group[3].nic[1].tx. Labels replace the
// numbers of elements, for example net.node[3].dim[1].port[+rho].
type Bank struct {
	Unit    string // path of the unit, "" for none
	Name    string // path of an element in its unit
	Part    string // name of the part, "" if the element is a whole component
	Units   int    // >= 1
	PerUnit int    // elements per unit, >= 1
	Parts   int    // number of numbered parts per Name; 0 for one part without a number

	// Labels are the paths of the PerUnit elements in their unit. Without a unit they are absolute paths. If nil, the
	// elements are Name[0], Name[1], ....
	Labels []string
}

// Size returns the number of elements.
func (b Bank) Size() int { return b.Units * b.PerUnit }

func (b Bank) Path() string {
	path := b.Name
	if b.Unit != "" {
		path = b.Unit + "." + path
	}
	if b.Part != "" {
		path += "." + b.Part
	}
	return path
}

// Element returns the path of an element.
func (b Bank) Element(index int) string {
	whole, perUnit := index/max(b.Parts, 1), b.PerUnit/max(b.Parts, 1)
	path := Index(b.Name, whole)
	switch {
	case b.Labels != nil && b.Unit == "":
		path = b.Labels[whole]
	case b.Labels != nil:
		path = Index(b.Unit, whole/perUnit) + "." + b.Labels[whole%perUnit]
	case b.Unit != "":
		path = Index(b.Unit, whole/perUnit) + "." + Index(b.Name, whole%perUnit)
	}
	switch {
	case b.Part != "" && b.Parts > 0:
		path += "." + Index(b.Part, index%b.Parts)
	case b.Part != "":
		path += "." + b.Part
	}
	return path
}

// WholeOf returns a function that names the component of an element. It returns nil without a Part.
func (b Bank) WholeOf() func(element int) string {
	if b.Part == "" {
		return nil
	}
	parts := max(b.Parts, 1)
	b.Part, b.PerUnit, b.Parts = "", b.PerUnit/parts, 0
	return func(element int) string { return b.Element(element / parts) }
}

// Cells returns the range of elements of a shard; end is excluded.
func (b Bank) Cells(s Shard) (first, end int) { return s.First * b.PerUnit, s.End * b.PerUnit }

// CentralCells is Cells for a bank with fewer units than the machine, such as a crossbar's allocator. The elements of
// such a bank belong to the first shards.
func (b Bank) CentralCells(s Shard) (first, end int) {
	first, end = b.Cells(s)
	return min(first, b.Size()), min(end, b.Size())
}

// Check returns an error for a bank without elements, for more elements than 31 bits can number, and for invalid
// paths.
func (b Bank) Check() error {
	if err := CheckPath(b.Path()); err != nil {
		return err
	}
	if b.Parts > 0 && b.PerUnit%b.Parts != 0 {
		return fmt.Errorf("%s: %d elements per unit, in %d parts each", b.Path(), b.PerUnit, b.Parts)
	}
	if b.Labels != nil && (b.Unit == "" && b.Units != 1 || len(b.Labels)*max(b.Parts, 1) != b.PerUnit) {
		return fmt.Errorf("%s: %d elements per unit of %q, in %d parts each, with %d labels", b.Path(), b.PerUnit, b.Unit,
			max(b.Parts, 1), len(b.Labels))
	}
	for _, label := range b.Labels {
		if err := CheckPath(label); err != nil {
			return fmt.Errorf("%s: %w", b.Path(), err)
		}
	}
	if b.Units < 1 || b.PerUnit < 1 || b.Units > math.MaxInt32/b.PerUnit {
		return fmt.Errorf("%s: %d units of %d elements; allowed: 1 to %d elements in all",
			b.Path(), b.Units, b.PerUnit, math.MaxInt32)
	}
	return nil
}
