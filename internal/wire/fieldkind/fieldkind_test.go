package fieldkind

import "testing"

// The options of a Connection field are close, keep-alive, and others.
func TestConnectionOptions(t *testing.T) {
	for value, want := range map[string][2]bool{
		"":                     {false, false},
		"close":                {true, false},
		"Close":                {true, false},
		"keep-alive":           {false, false},
		"Keep-Alive, CLOSE":    {true, false},
		" , close ,":           {true, false},
		"upgrade":              {false, true},
		"x-hop\t,close, other": {true, true},
		"closed":               {false, true},
		"close d":              {false, true},
	} {
		if closes, others := ConnectionOptions([]byte(value)); closes != want[0] || others != want[1] {
			t.Errorf("%q: %v %v, want %v", value, closes, others, want)
		}
	}
}

// Every field has the kind of its name, in any spelling; other names have none.
func TestKinds(t *testing.T) {
	for i, k := range kinds {
		if k.name != "" && (len(k.name) != i || Of([]byte(k.name)) != k.kind) {
			t.Errorf("%q does not stand where its length says", k.name)
		}
	}
	for _, name := range []string{"", "x", "dat", "daté", "content\rtype", "Content_Length", "transfer-encodings", "connection-header-with-a-long-name"} {
		if Of([]byte(name)) != Ordinary {
			t.Errorf("%q is not ordinary", name)
		}
	}
	if Of([]byte("Transfer-ENCODING")) != TransferEncoding {
		t.Error("case matters")
	}
}
