package hpack

import "slices"

// Field is a field line, or a pseudo-header field, whose name begins with a colon.
type Field struct {
	Name, Value string
	// Sensitive fields are never added to a table, also not by intermediaries (RFC 7541 §7.1.3).
	Sensitive bool
}

// overhead is added to the name and value of a table entry, and of a line of a header list, to get its size (RFC 7541
// §4.1, RFC 9113 §10.5.1).
const overhead = 32

// Size returns the size of f in a table or a header list: the bytes of its name and value, plus 32.
func (f Field) Size() int { return len(f.Name) + len(f.Value) + overhead }

// appendField appends a field member by member. The built-in append would build the Field elsewhere and copy it, which
// takes several times as long.
func appendField(fields []Field, name, value string, sensitive bool) []Field {
	n := len(fields)
	if n == cap(fields) {
		fields = slices.Grow(fields, max(8-n, 1)) // most messages have at least 8 fields
	}
	fields = fields[:n+1]
	f := &fields[n]
	f.Name = name
	f.Value = value
	f.Sensitive = sensitive
	return fields
}
