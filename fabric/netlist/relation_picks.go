package netlist

import (
	"starloom/hw"
	"starloom/traces/input"
)

// picks checks the choice and the picks of a rule, and adds its pick to the relation. number is 1 + the index of the
// pick, 0 for none. reads reports whether the rule's condition depends on the destination.
func (c *relating) picks(rule int, reads bool) (number uint8, err error) {
	of := &c.Rules[rule]
	pick, picks := hw.RoutePick{}, 0
	if choice := of.Choose; choice != nil {
		picks++
		pick = hw.RoutePick{Ties: choice.Ties == "draw", Hops: choice.Times != "", Bias: choice.Bias}
		if choice.By == "load" {
			pick.By = hw.PickLoad
		} else if pick != (hw.RoutePick{}) {
			return 0, input.Mistake(c.place("rules[%d].choose", rule), "by: draw compares no loads",
				"write choose: {by: draw}, or by: load")
		}
		if pick.Hops && c.terms.grid == nil {
			return 0, input.Mistake(c.place("rules[%d].choose.times", rule), "times: hops is for networks with coordinates",
				"delete times")
		}
	}
	for k := range of.Take {
		take := &of.Take[k]
		if by := pick.By; take.Pick != "" {
			if pick.By = map[string]hw.PickBy{"random": hw.PickDraw, "load": hw.PickLoad,
				"load_of_two": hw.PickLoadOfTwo}[take.Pick]; picks == 0 || by != pick.By {
				picks++
			}
		}
		c.sets.Prefers = c.sets.Prefers || take.Priority > 0
		if take.Priority > 0 && (take.Pick != "" || of.Choose != nil || take.Toward != "") {
			return 0, input.Mistake(c.place("rules[%d].take[%d].priority", rule, k), "a candidate of a pick or toward mid has "+
				"no priority", "delete priority")
		}
		if take.Toward == "" {
			continue
		}
		if c.Mid == "" {
			return 0, input.Mistake(c.place("rules[%d].take[%d].toward", rule, k), "packets have no mid",
				"write mid: node beside rules")
		}
		if reads {
			return 0, input.Mistake(c.place("rules[%d].if", rule), "the condition of a rule toward mid depends on the "+
				"destination", "compare only class and came")
		}
	}
	switch {
	case picks == 0:
		return 0, nil
	case picks > 1:
		return 0, input.Mistake(c.place("rules[%d]", rule), "a rule has several picks", "write one choose or one pick")
	case len(c.sets.Picks) == 255:
		return 0, input.Mistake(c.whole, "more than 255 rules pick", "write fewer")
	case pick.By != hw.PickDraw && c.built.Config.RoutingDelay == 0:
		return 0, input.Mistake(c.place("rules[%d]", rule), "a load is compared, but with routing_delay: 0 it is not known "+
			"in time", "write routing_delay: 1")
	}
	c.sets.Picks = append(c.sets.Picks, pick)
	return uint8(len(c.sets.Picks)), nil
}

// midway checks the key mid.
func (c *relating) midway() error {
	switch c.Mid {
	case "node":
		c.sets.Midway = hw.MidwayNode
	case "box":
		if c.terms.grid == nil || c.terms.around {
			return input.Mistake(c.place("mid"), "mid: box is for a mesh, a cmesh or a flatfly", "write mid: node")
		}
		c.sets.Midway = hw.MidwayBox
	}
	if c.Mid != "" && len(c.built.Graph.Nodes) > 1<<16 {
		return input.Mistake(c.place("mid"), "mid is drawn from at most 65536 processors", "delete mid")
	}
	return nil
}
