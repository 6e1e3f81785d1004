package websocket

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// withMemory leaves so many bytes for takeover for the length of a test.
func withMemory(t *testing.T, bytes int64) {
	SetTakeoverMemory(TakeoverMemory() + bytes)
	t.Cleanup(func() { SetTakeoverMemory(256 << 20) })
}

// says returns what a server answers to lines of offers: "-" for nothing, the status for a refusal.
func says(c Compression, lines ...string) string {
	p, refused := chooseDeflate(lines, c)
	switch {
	case refused != nil:
		return http.StatusText(refused.Status)
	case p == nil:
		return "-"
	}
	return strings.TrimPrefix(string(p.append(nil)), "permessage-deflate")
}

func TestAServersAnswer(t *testing.T) {
	const fresh = "; server_no_context_takeover; client_no_context_takeover"
	for _, c := range []struct{ offer, takeover, without string }{
		{"permessage-deflate", "", fresh},
		{"permessage-deflate; client_max_window_bits", "", fresh}, // as browsers do
		{"permessage-deflate; server_no_context_takeover", "; server_no_context_takeover", fresh},
		{"permessage-deflate; client_no_context_takeover", "; client_no_context_takeover", fresh},
		{"permessage-deflate; server_max_window_bits=8", "; server_max_window_bits=8",
			"; server_no_context_takeover; server_max_window_bits=8; client_no_context_takeover"},
		{"permessage-deflate; server_max_window_bits=15", "; server_max_window_bits=15",
			"; server_no_context_takeover; server_max_window_bits=15; client_no_context_takeover"},
		{`permessage-deflate; client_max_window_bits="10"`, "; client_max_window_bits=10", fresh + "; client_max_window_bits=10"},
		{`permessage-deflate;server_max_window_bits="1\0" ; client_max_window_bits = 9`, "; server_max_window_bits=10; client_max_window_bits=9",
			"; server_no_context_takeover; server_max_window_bits=10; client_no_context_takeover; client_max_window_bits=9"},
		{"x-webkit-deflate-frame, permessage-deflate", "", fresh},
		{", ,permessage-deflate,", "", fresh},
		// The first offer that can be accepted is.
		{"permessage-deflate; server_max_window_bits=7, permessage-deflate; server_max_window_bits=9", "; server_max_window_bits=9",
			"; server_no_context_takeover; server_max_window_bits=9; client_no_context_takeover"},
		{"permessage-deflate; mode=best, permessage-deflate", "", fresh},
	} {
		if got := says(ContextTakeover, c.offer); got != c.takeover {
			t.Errorf("%q with takeover: %q, want %q", c.offer, got, c.takeover)
		}
		if got := says(NoContextTakeover, c.offer); got != c.without {
			t.Errorf("%q without takeover: %q, want %q", c.offer, got, c.without)
		}
		if got := says(NoCompression, c.offer); got != "-" {
			t.Errorf("%q without compression: %q", c.offer, got)
		}
	}
}

func TestOffersThatAreDeclined(t *testing.T) {
	for _, params := range []string{
		"server_no_context_takeover=1", "client_no_context_takeover=true", "server_no_context_takeover; server_no_context_takeover",
		"client_no_context_takeover; client_no_context_takeover", "server_max_window_bits", "server_max_window_bits=7",
		"server_max_window_bits=16", "server_max_window_bits=08", "server_max_window_bits=+9", "server_max_window_bits=9.0",
		"server_max_window_bits=9; server_max_window_bits=9", "client_max_window_bits=7", "client_max_window_bits=16",
		"client_max_window_bits=0x9", "client_max_window_bits=99999999999999999999", "client_max_window_bits; client_max_window_bits",
		"client_max_window_bits; client_max_window_bits=9", "mux", "Server_no_context_takeover",
	} {
		if got := says(ContextTakeover, "permessage-deflate; "+params); got != "-" {
			t.Errorf("%q: %q", params, got)
		}
	}
	for _, offer := range []string{"permessage-deflate2", "deflate", "PerMessage-Deflate"} {
		if got := says(ContextTakeover, offer); got != "-" {
			t.Errorf("%q: %q", offer, got)
		}
	}
	if got := says(ContextTakeover); got != "-" {
		t.Errorf("no offer: %q", got)
	}
}

func TestExtensionsThatAreMalformed(t *testing.T) {
	for _, line := range []string{
		"", " ", ",", ", ,", ";", "permessage-deflate;", "permessage-deflate;;", "permessage-deflate; =1", "permessage-deflate; a=",
		`permessage-deflate; a="`, `permessage-deflate; a=""`, `permessage-deflate; a="1 0"`, `permessage-deflate; a="10\`, `permessage-deflate; a="1"0`,
		`permessage-deflate; a=1"0"`, `"permessage-deflate"`, "permessage-deflate a", "permessage-deflate; a b", "permessage-deflate/1", "permessage-déflate",
		"permessage-deflate; a=1=2", "permessage-deflate, ;", "permessage-deflate; a=b\x00c",
	} {
		for _, c := range []Compression{NoCompression, ContextTakeover} {
			if got := says(c, line); got != "Bad Request" {
				t.Errorf("%q: %q", line, got)
			}
		}
		if p, refused := agreeDeflate([]string{line}, offerDeflate(ContextTakeover)); p != nil || refused != errExtensionsAnswer {
			t.Errorf("%q as an answer: %v, %v", line, p, refused)
		}
	}
	if got := says(ContextTakeover, "permessage-deflate", "a;"); got != "Bad Request" {
		t.Errorf("on the second line: %q", got)
	}
	if got := says(ContextTakeover, "a", "permessage-deflate"); got != "" {
		t.Errorf("two lines: %q", got)
	}
}

// offered is what a client says.
func offered(c Compression) string { return string(appendOffers(nil, offerDeflate(c))) }

func TestAClientsOffer(t *testing.T) {
	for c, want := range []string{
		NoCompression:     "",
		NoContextTakeover: "permessage-deflate; server_no_context_takeover; client_no_context_takeover; client_max_window_bits",
		ContextTakeover: "permessage-deflate; client_max_window_bits, " +
			"permessage-deflate; client_no_context_takeover; client_max_window_bits",
	} {
		if got := offered(Compression(c)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	withMemory(t, 0)
	const fresh = "permessage-deflate; server_no_context_takeover; "
	if got := offered(ContextTakeover); got != fresh+"client_max_window_bits, "+fresh+"client_no_context_takeover; client_max_window_bits" {
		t.Errorf("without memory: %q", got)
	}
}

func TestWhatAClientAgreesTo(t *testing.T) {
	const deflate = "permessage-deflate"
	for _, c := range []struct {
		answer string
		with   Compression
		want   deflateParams
		err    *HandshakeError
	}{
		{deflate, ContextTakeover, deflateParams{}, nil},
		{deflate + "; server_no_context_takeover", ContextTakeover, deflateParams{server: deflateSide{noTakeover: true}}, nil},
		{deflate + "; client_no_context_takeover", ContextTakeover, deflateParams{client: deflateSide{noTakeover: true}}, nil},
		{deflate + "; server_max_window_bits=9; client_max_window_bits=10", ContextTakeover,
			deflateParams{server: deflateSide{bits: 9}, client: deflateSide{bits: 10}}, nil},
		{deflate + "; server_no_context_takeover", NoContextTakeover,
			deflateParams{server: deflateSide{noTakeover: true}, client: deflateSide{noTakeover: true}}, nil},
		{deflate, NoContextTakeover, deflateParams{}, errDeflateAnswer},
		{deflate, NoCompression, deflateParams{}, errExtension},
		{"mux", ContextTakeover, deflateParams{}, errExtension},
		{deflate + ", mux", ContextTakeover, deflateParams{}, errExtension},
		{deflate + ", " + deflate, ContextTakeover, deflateParams{}, errExtension},
		{deflate + "; client_max_window_bits", ContextTakeover, deflateParams{}, errDeflateAnswer},
		{deflate + "; server_max_window_bits=16", ContextTakeover, deflateParams{}, errDeflateAnswer},
		{deflate + "; server_no_context_takeover; server_no_context_takeover", ContextTakeover, deflateParams{}, errDeflateAnswer},
		{deflate + "; mode=best", ContextTakeover, deflateParams{}, errDeflateAnswer},
	} {
		p, err := agreeDeflate([]string{c.answer}, offerDeflate(c.with))
		if err != c.err || (p == nil) != (c.err != nil) || p != nil && *p != c.want {
			t.Errorf("%q: %+v, %v, want %+v, %v", c.answer, p, err, c.want, c.err)
		}
	}
	if p, err := agreeDeflate(nil, offerDeflate(ContextTakeover)); p != nil || err != nil {
		t.Errorf("no answer: %v, %v", p, err)
	}
}

// Whatever is offered, the answer is one that a client may agree to.
func FuzzExtensions(f *testing.F) {
	for _, seed := range []string{
		"permessage-deflate; client_max_window_bits", `a; b="c\d"; e, permessage-deflate; server_max_window_bits=9; client_max_window_bits="8"`,
		"permessage-deflate; server_no_context_takeover; client_no_context_takeover", ",", `x;y="`, "permessage-deflate\npermessage-deflate;",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, field string) {
		lines := strings.Split(field, "\n")
		list, ok := parseExtensions(lines)
		var again []string
		for _, e := range list {
			s := e.name
			for _, p := range e.params {
				if s += ";" + p.name; p.valued {
					s += "=" + p.value
				}
			}
			again = append(again, s)
		}
		if list2, ok2 := parseExtensions(again); ok && (!ok2 || !slices.EqualFunc(list, list2, func(a, b extension) bool {
			return a.name == b.name && slices.Equal(a.params, b.params)
		})) {
			t.Errorf("%q is read as %v, and that as %v", lines, list, list2)
		}
		for _, c := range []Compression{NoContextTakeover, ContextTakeover} {
			p, refused := chooseDeflate(lines, c)
			if (refused == nil) != ok {
				t.Errorf("%q: parsed %v, refused %v", lines, ok, refused)
			}
			if p == nil {
				continue
			}
			answer := string(p.append(nil))
			if agreed, err := agreeDeflate([]string{answer}, offerDeflate(c)); err != nil || *agreed != *p {
				t.Errorf("%q is answered %q: %+v, %v, want %+v", lines, answer, agreed, err, p)
			}
		}
	})
}
