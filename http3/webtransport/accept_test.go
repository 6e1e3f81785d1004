package webtransport

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// A request that cannot become a session gets an error response that says why.
func TestAcceptElsewhere(t *testing.T) {
	for name, tc := range map[string]struct {
		method   string
		major    int
		protocol string
		want     *HandshakeError
	}{
		"GET":                  {"GET", 3, "", errMethod},
		"HTTP/2":               {"CONNECT", 2, "webtransport", errVersion},
		"a tunnel":             {"CONNECT", 3, "", errProtocol},
		"another server":       {"CONNECT", 3, "webtransport", errTakeOver},
		"another, draft 15":    {"CONNECT", 3, "webtransport-h3", errTakeOver},
		"not quite a protocol": {"CONNECT", 3, "WebTransport", errProtocol},
	} {
		r := httptest.NewRequest(tc.method, "/", nil)
		r.ProtoMajor = tc.major
		if tc.protocol != "" {
			r.Header[protocolField] = []string{tc.protocol}
		}
		w := httptest.NewRecorder()
		if _, err := Accept(w, r, Config{}); err != tc.want || w.Code != tc.want.Status {
			t.Errorf("%s: %v, status %d", name, err, w.Code)
		}
		if w.Code == http.StatusMethodNotAllowed && tc.want == errMethod && w.Header().Get("Allow") != "CONNECT" {
			t.Errorf("%s: no Allow", name)
		}
	}
}

// CheckOrigin decides, and a request with two origins is refused.
func TestCheckOrigin(t *testing.T) {
	cfg := Config{CheckOrigin: func(origin, host string) bool { return origin == "https://a" && host == "b" }}
	for _, tc := range []struct {
		origins []string
		want    bool
	}{{[]string{"https://a"}, true}, {[]string{"https://b"}, false}, {nil, false}, {[]string{"https://a", "https://a"}, false}} {
		if got := cfg.allows(tc.origins, "b"); got != tc.want {
			t.Errorf("%q: got %v, want %v", tc.origins, got, tc.want)
		}
	}
}

var stringLists = map[string]struct {
	want []string
	ok   bool
}{
	"":                         {nil, true},
	`"a"`:                      {[]string{"a"}, true},
	` "a", "b" ,"c"`:           {[]string{"a", "b", "c"}, true},
	`"a\"\\b"`:                 {[]string{`a"\b`}, true},
	`"a";x;y=1; z="q,\"", "b"`: {[]string{"a", "b"}, true},
	`"a",`:                     {nil, false},
	`"a" "b"`:                  {nil, false},
	`a`:                        {nil, false},
	`"a`:                       {nil, false},
	`"a\n"`:                    {nil, false},
	"\"\x01\"":                 {nil, false},
	`"a";`:                     {nil, false},
	`"a";x=`:                   {nil, false},
	`"a";x="`:                  {nil, false},
	`1, "a"`:                   {nil, false},
}

// The list of offered protocols is parsed, and a malformed list counts as absent.
func TestStringList(t *testing.T) {
	for in, tc := range stringLists {
		if got, ok := stringList(in); !slices.Equal(got, tc.want) || ok != tc.ok {
			t.Errorf("%s: got %q, %v", in, got, ok)
		}
	}
}

// A list that is parsed comes back after it is written and parsed again.
func FuzzStringList(f *testing.F) {
	for in := range stringLists {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		list, ok := stringList(in)
		if !ok {
			return
		}
		var again []string
		for _, s := range list {
			again = append(again, quoted(s))
		}
		if back, ok := stringList(strings.Join(again, ", ")); !ok || !slices.Equal(back, list) {
			t.Fatalf("%q comes back as %q", list, back)
		}
	})
}
