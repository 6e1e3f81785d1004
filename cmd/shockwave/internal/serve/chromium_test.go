package serve

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
)

// In Chromium the page takes part in the socket, shows it, survives a restart of the server, and breaks no policy.
func TestPageSocketInChromium(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		r, tcp := startSocketServe(t, Options{Options: site.Options{TLS: secure}})
		b := clitest.Browse(t, r.URL+"/socket.html")
		b.WantValue("document.getElementById('state').textContent", "^live$")
		b.WantValue("document.getElementById('trip').textContent", ` ms$`)
		transport := map[bool]string{false: "ws", true: "wss, HTTP/2"}[secure]
		b.WantValue("document.getElementById('list').innerText", `^1\s+`+transport+`\s+127\.0\.0\.1:\d+this page\s+\d+ s\s+\d+\s+[\d.]+\s+[\d.]+ B\s+\d+\s+[\d.]+\s+[\d.]+ k?B\s+0\s+0\s*$`)
		var told clitest.Buffer
		if err := bench.Run([]string{"-c", "3", "-n", "400", "tcp://" + tcp}, cli.Console{Out: &told, Err: &told}); err != nil {
			t.Fatal(err)
		}
		clitest.WantText(t, "bench", told.String(), "400 echoed as they were sent")
		b.WantValue("document.getElementById('came').textContent", "^4$")
		b.WantValue("document.getElementById('peers').textContent", "^1$")
		b.Value("document.getElementById('burst').click(), ''")
		b.WantValue("document.getElementById('back').textContent", `^1,000 came back within [\d.]+ ms$`)
		b.WantValue("document.getElementById('in').textContent", `^1,[4-9]\d\d$`)
		b.WantValue("document.querySelector('#rates path.wave').getAttribute('d')", `^M.*L`)
		if len(b.Faults) > 0 {
			t.Errorf("the browser says %s", strings.Join(b.Faults, "\n"))
		}
		r.First()
		b.WantValue("document.getElementById('state').textContent", "^the socket does not answer")
	}
}
