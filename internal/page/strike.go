package page

import (
	"starloom/fabric"
	"starloom/fabric/outcome"
)

// strike is the frame or place that a fault struck before a violation.
type strike struct {
	Fault string // name of the fault
	Kind  string
	Frame *outcome.StruckFrame // nil: First stands for it
	First *outcome.FaultFirst
	To    string // destination of the frame, "" if unknown
	Field string // field of the flipped bit
	Whole bool   // the violation's message contains all fields of the strike
	One   bool   // the fault struck once, or the frame concerns the violation's processor
}

// strikeBefore returns the strike that led to a violation, nil if faults are not the cause or the message already
// locates the loss.
func strikeBefore(r *outcome.Report, v *outcome.Violation) *strike {
	if v.Cause != outcome.CauseFaults || v.Subject.Kind == fabric.FindMissing {
		return nil
	}
	s, fault := &strike{}, 0
	if scene := sceneAt(r, v); scene != nil {
		s.Frame = scene.Struck
	}
	switch {
	case len(v.Faults) > 0:
		fault = v.Faults[0]
	case len(r.Faults) > 1 && (s.Frame == nil || !s.Frame.Own):
		return nil // any of the faults
	case s.Frame != nil:
		fault = s.Frame.Fault
	}
	if scene := sceneOfFault(r, fault); s.Frame == nil && scene != nil {
		s.Frame = scene.Struck
	}
	if s.First = r.Faults[fault].First; s.First == nil {
		return nil
	}
	if x := s.Frame; x != nil {
		fault = x.Fault
		if x.Kind != "" {
			s.To = destination(x.Destination)
		}
		if x.Bit >= 0 {
			s.Field = fabric.FlippedField(x.Bit)
		}
		s.Whole = v.Subject.Kind == fabric.FindLost && v.Slot == x.Slot
	}
	s.One = r.Faults[fault].Count == 1 || s.Frame != nil && (s.Frame.Own || s.Whole)
	s.Fault, s.Kind = r.FaultName(fault), r.Faults[fault].Kind
	return s
}
