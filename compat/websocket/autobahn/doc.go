// Package autobahn plays the cases of the Autobahn test suite against package websocket, in both roles. The suite is
// kosoku, which plays the original's cases; scripts/peers installs it. A case passes when its behaviour is OK or
// INFORMATIONAL, in the exchange itself and in the closing handshake: NON-STRICT fails.
//
// By themselves the tests play the sections that take seconds. -sections names others, or "all"; those that take minutes
// are played in parts, each a subtest: -run TestClient/blocking/9.1.
package autobahn
