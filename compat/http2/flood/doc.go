// Package flood attacks servers of HTTP/2 with frames that cost the sender little: resets, pings, header blocks without
// an end, windows that do not open. Ours must end the connection within 1,000 frames, or in their documented time, while
// others are served and the process stays as small as it was; in cleartext and over TLS. What honest clients do that looks
// alike must go on.
//
// Attacks that the servers put up with for a minute, and net/http's server under attack, are left out unless
// SHOCKWAVE_FLOOD_LONG is set.
package flood
