package hpack

// policy says what becomes of a field that no table holds.
type policy uint8

const (
	toTable policy = iota // it will probably come again
	passing               // it will probably not, and would drive out what will (RFC 7541 §6.2.2)
	never                 // guessing it byte by byte must not be helped by anybody on the way (§6.2.3, §7.1.3)
)

// staticPolicies are the policies of the static table's names that do not go into the table: what differs from one
// message to the next, and secrets.
var staticPolicies = [staticLen + 1]policy{
	4:  passing, // :path
	21: passing, // age
	23: never,   // authorization
	28: passing, // content-length
	30: passing, // content-range
	34: passing, // etag
	39: passing, // if-match
	40: passing, // if-modified-since
	41: passing, // if-none-match
	42: passing, // if-range
	43: passing, // if-unmodified-since
	44: passing, // last-modified
	46: passing, // location
	49: never,   // proxy-authorization
	55: passing, // set-cookie
}

const cookieIndex = 32

// A cookie so short can be guessed; a longer one is worth its place in the table.
const guessable = 20

// policyOf returns the policy of a field. static is the index of its name in the static table, or 0.
func policyOf(static int, name, value []byte) policy {
	switch {
	case static == cookieIndex && len(value) < guessable:
		return never
	case static > 0:
		return staticPolicies[static]
	}
	switch string(name) {
	case "traceparent", "tracestate", "x-request-id", "x-correlation-id", "content-digest", "repr-digest", "x-runtime", "server-timing":
		return passing
	}
	return toTable
}
