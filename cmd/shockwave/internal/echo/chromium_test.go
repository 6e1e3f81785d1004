package echo

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// overHTTP3InChromium are the flags by which Chromium asks r by HTTP/3 and takes its certificate: over QUIC it wants to know it.
func overHTTP3InChromium(r *clitest.Running) []string {
	nc, err := tls.Dial("tcp", r.Addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		r.T.Fatal(err)
	}
	defer nc.Close()
	key := sha256.Sum256(nc.ConnectionState().PeerCertificates[0].RawSubjectPublicKeyInfo)
	return []string{"--origin-to-force-quic-on=" + r.Addr, "--ignore-certificate-errors-spki-list=" + base64.StdEncoding.EncodeToString(key[:])}
}

// Chromium loads pages, sends bodies and cancels requests over HTTP/3.
func TestChromiumOverHTTP3(t *testing.T) {
	t.Parallel()
	for _, native := range []bool{false, true} {
		r := clitest.Serve(t, Options{Native: native, Options: clitest.Everywhere})
		b := clitest.Browse(t, r.URL+"/", overHTTP3InChromium(r)...)
		b.WantValue("performance.getEntriesByType('navigation')[0].nextHopProtocol", "^h3$")
		b.Value(`(async () => {
			const texts = await Promise.all(Array.from({length: 300}, (_, i) => fetch('/plaintext?' + i).then(r => r.text())));
			const greeted = texts.filter(t => t === 'Hello, World!').length;
			const sent = 'abc'.repeat(100_000);
			const echoed = (await (await fetch('/echo', {method: 'POST', body: sent})).text()).endsWith('\n\n' + sent);
			const big = (await (await fetch('/big?n=5000000')).blob()).size;
			const stop = new AbortController();
			setTimeout(() => stop.abort(), 50);
			const given = await fetch('/sleep?ms=60000', {signal: stop.signal}).catch(e => e.name);
			const protocols = new Set(performance.getEntriesByType('resource').map(e => e.nextHopProtocol).filter(p => p));
			window.told = [greeted, echoed, big, given, ...protocols].join(' ');
		})().catch(e => { window.told = String(e) }), ''`)
		b.WantValue("String(window.told)", "^300 true 5000000 AbortError h3$")
	}
}
