// Package autobahn plays the cases of the Autobahn test suite against package websocket, in both roles. The program is
// kosoku, which has the cases of the original suite; scripts/peers installs it. A case passes if its behaviour is OK or
// INFORMATIONAL, both in the exchange and in the closing handshake. NON-STRICT fails.
//
// By default the tests play the sections that take seconds. -sections selects others, or "all". Sections that take minutes
// are played in parts, each a subtest: -run TestClient/blocking/9.1.
package autobahn
