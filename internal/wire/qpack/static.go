package qpack

// staticLen is the number of entries of the static table (RFC 9204 §3.1).
const staticLen = 99

// The indices of some entries.
const (
	firstStatus   = 24
	authorization = 84
)

type tableEntry struct{ name, value string }

// staticTable is the table of RFC 9204 Appendix A. Entries with the same name are not always next to each other.
var staticTable = [staticLen]tableEntry{
	0:  {name: ":authority"},
	1:  {name: ":path", value: "/"},
	2:  {name: "age", value: "0"},
	3:  {name: "content-disposition"},
	4:  {name: "content-length", value: "0"},
	5:  {name: "cookie"},
	6:  {name: "date"},
	7:  {name: "etag"},
	8:  {name: "if-modified-since"},
	9:  {name: "if-none-match"},
	10: {name: "last-modified"},
	11: {name: "link"},
	12: {name: "location"},
	13: {name: "referer"},
	14: {name: "set-cookie"},
	15: {name: ":method", value: "CONNECT"},
	16: {name: ":method", value: "DELETE"},
	17: {name: ":method", value: "GET"},
	18: {name: ":method", value: "HEAD"},
	19: {name: ":method", value: "OPTIONS"},
	20: {name: ":method", value: "POST"},
	21: {name: ":method", value: "PUT"},
	22: {name: ":scheme", value: "http"},
	23: {name: ":scheme", value: "https"},
	24: {name: ":status", value: "103"},
	25: {name: ":status", value: "200"},
	26: {name: ":status", value: "304"},
	27: {name: ":status", value: "404"},
	28: {name: ":status", value: "503"},
	29: {name: "accept", value: "*/*"},
	30: {name: "accept", value: "application/dns-message"},
	31: {name: "accept-encoding", value: "gzip, deflate, br"},
	32: {name: "accept-ranges", value: "bytes"},
	33: {name: "access-control-allow-headers", value: "cache-control"},
	34: {name: "access-control-allow-headers", value: "content-type"},
	35: {name: "access-control-allow-origin", value: "*"},
	36: {name: "cache-control", value: "max-age=0"},
	37: {name: "cache-control", value: "max-age=2592000"},
	38: {name: "cache-control", value: "max-age=604800"},
	39: {name: "cache-control", value: "no-cache"},
	40: {name: "cache-control", value: "no-store"},
	41: {name: "cache-control", value: "public, max-age=31536000"},
	42: {name: "content-encoding", value: "br"},
	43: {name: "content-encoding", value: "gzip"},
	44: {name: "content-type", value: "application/dns-message"},
	45: {name: "content-type", value: "application/javascript"},
	46: {name: "content-type", value: "application/json"},
	47: {name: "content-type", value: "application/x-www-form-urlencoded"},
	48: {name: "content-type", value: "image/gif"},
	49: {name: "content-type", value: "image/jpeg"},
	50: {name: "content-type", value: "image/png"},
	51: {name: "content-type", value: "text/css"},
	52: {name: "content-type", value: "text/html; charset=utf-8"},
	53: {name: "content-type", value: "text/plain"},
	54: {name: "content-type", value: "text/plain;charset=utf-8"},
	55: {name: "range", value: "bytes=0-"},
	56: {name: "strict-transport-security", value: "max-age=31536000"},
	57: {name: "strict-transport-security", value: "max-age=31536000; includesubdomains"},
	58: {name: "strict-transport-security", value: "max-age=31536000; includesubdomains; preload"},
	59: {name: "vary", value: "accept-encoding"},
	60: {name: "vary", value: "origin"},
	61: {name: "x-content-type-options", value: "nosniff"},
	62: {name: "x-xss-protection", value: "1; mode=block"},
	63: {name: ":status", value: "100"},
	64: {name: ":status", value: "204"},
	65: {name: ":status", value: "206"},
	66: {name: ":status", value: "302"},
	67: {name: ":status", value: "400"},
	68: {name: ":status", value: "403"},
	69: {name: ":status", value: "421"},
	70: {name: ":status", value: "425"},
	71: {name: ":status", value: "500"},
	72: {name: "accept-language"},
	73: {name: "access-control-allow-credentials", value: "FALSE"},
	74: {name: "access-control-allow-credentials", value: "TRUE"},
	75: {name: "access-control-allow-headers", value: "*"},
	76: {name: "access-control-allow-methods", value: "get"},
	77: {name: "access-control-allow-methods", value: "get, post, options"},
	78: {name: "access-control-allow-methods", value: "options"},
	79: {name: "access-control-expose-headers", value: "content-length"},
	80: {name: "access-control-request-headers", value: "content-type"},
	81: {name: "access-control-request-method", value: "get"},
	82: {name: "access-control-request-method", value: "post"},
	83: {name: "alt-svc", value: "clear"},
	84: {name: "authorization"},
	85: {name: "content-security-policy", value: "script-src 'none'; object-src 'none'; base-uri 'none'"},
	86: {name: "early-data", value: "1"},
	87: {name: "expect-ct"},
	88: {name: "forwarded"},
	89: {name: "if-range"},
	90: {name: "origin"},
	91: {name: "purpose", value: "prefetch"},
	92: {name: "server"},
	93: {name: "timing-allow-origin", value: "*"},
	94: {name: "upgrade-insecure-requests", value: "1"},
	95: {name: "user-agent"},
	96: {name: "x-forwarded-for"},
	97: {name: "x-frame-options", value: "deny"},
	98: {name: "x-frame-options", value: "sameorigin"},
}

// staticSlots is a hash table of the names in the static table. A slot holds the first index with a name plus one, 0 if it is
// empty. If the slot of a name is taken, the name is in one of the following slots.
var staticSlots [256]uint8

// nextOf holds for each entry the next one with the same name, 0 if there is none.
var nextOf [staticLen]uint8

// statusIndex holds the index of the entry of each status, 0 if there is none.
var statusIndex [600]uint8

func init() {
	last := map[string]int{}
	for i := range staticTable {
		e := &staticTable[i]
		if before, again := last[e.name]; again {
			nextOf[before] = uint8(i)
		} else {
			slot := slotOf([]byte(e.name))
			for staticSlots[slot] != 0 {
				slot++
			}
			staticSlots[slot] = uint8(i + 1)
		}
		last[e.name] = i
		if v := e.value; e.name == ":status" {
			statusIndex[int(v[0]-'0')*100+int(v[1]-'0')*10+int(v[2]-'0')] = uint8(i)
		}
	}
}

// slotOf returns the first slot that name may be in.
func slotOf(name []byte) uint8 {
	n := len(name)
	if n == 0 {
		return 0
	}
	return uint8(n)*5 + name[0]*3 + name[n/2]*17 + name[n-1]*31
}

// findStatic returns the first index of name in the static table.
func findStatic(name []byte) (i int, ok bool) {
	for slot := slotOf(name); ; slot++ {
		at := int(staticSlots[slot])
		if at == 0 {
			return 0, false
		}
		if staticTable[at-1].name == string(name) {
			return at - 1, true
		}
	}
}

// findValue returns the index of the entry with the name of entry i and the value. i must be the first index with that name.
func findValue(i int, value []byte) (at int, ok bool) {
	for {
		if staticTable[i].value == string(value) {
			return i, true
		}
		if i = int(nextOf[i]); i == 0 {
			return 0, false
		}
	}
}
