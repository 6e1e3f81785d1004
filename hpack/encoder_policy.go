package hpack

// policy is how a field that is in neither table is encoded.
type policy uint8

const (
	toTable    policy = iota // added to the table: it is likely to be repeated
	notIndexed               // not added: it is unlikely to be repeated, and would evict others (RFC 7541 §6.2.2)
	never                    // never added, also not by intermediaries: a table would help to guess it byte by byte (§6.2.3, §7.1.3)
)

// staticPolicies are the policies of the names in the static table. Listed are values that differ from message to
// message, and secrets.
var staticPolicies = [staticLen + 1]policy{
	4:  notIndexed, // :path
	21: notIndexed, // age
	23: never,      // authorization
	28: notIndexed, // content-length
	30: notIndexed, // content-range
	34: notIndexed, // etag
	39: notIndexed, // if-match
	40: notIndexed, // if-modified-since
	41: notIndexed, // if-none-match
	42: notIndexed, // if-range
	43: notIndexed, // if-unmodified-since
	44: notIndexed, // last-modified
	46: notIndexed, // location
	49: never,      // proxy-authorization
	55: notIndexed, // set-cookie
}

const cookieIndex = 32

// minTableCookie is the length of the shortest cookie that may be added to the table. Shorter ones can be guessed.
const minTableCookie = 20

// policyOf returns the policy of a field. static is the index of its name in the static table, 0 if it is not there.
func policyOf(static int, name, value []byte) policy {
	switch {
	case static == cookieIndex && len(value) < minTableCookie:
		return never
	case static > 0:
		return staticPolicies[static]
	}
	switch string(name) {
	case "traceparent", "tracestate", "x-request-id", "x-correlation-id", "content-digest", "repr-digest", "x-runtime", "server-timing":
		return notIndexed
	}
	return toTable
}
