// Package compare is the command bench compare, which says what has changed from one run to another, and what of it may be
// chance.
package compare
