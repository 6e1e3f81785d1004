package http2

// PriorityParams are the priority parameters of RFC 9218 §4.
type PriorityParams struct {
	Urgency     uint8 // 0, the most urgent, to 7
	Incremental bool
}

// DefaultPriority applies if no priority was signaled (RFC 9218 §4).
var DefaultPriority = PriorityParams{Urgency: 3}

const urgencies = 8

// Append appends the parameters as the value of a priority field.
func (p PriorityParams) Append(dst []byte) []byte {
	dst = append(dst, "u="...)
	dst = append(dst, '0'+min(p.Urgency, urgencies-1))
	if p.Incremental {
		dst = append(dst, ", i"...)
	}
	return dst
}
