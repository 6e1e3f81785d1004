package http3

// SharedPort lets several processes of one machine serve the same port of UDP, each with a socket of its own (SO_REUSEPORT), on Linux:
//
//	key, err := os.ReadFile("/etc/example/http3.key") // 32 random bytes, the same for all processes
//	if err != nil {
//		log.Fatal(err)
//	}
//	shared := &http3.SharedPort{Key: key, Process: number, Dir: "/run/example"}
//	log.Fatal(http3.NewServer(srv, http3.Config{SharedPort: shared}).ListenAndServe(":443", "cert.pem", "key.pem"))
//
// The kernel chooses a socket by the client's address and port. When these change, because the client goes to another network or a
// router has forgotten it, or when a process starts or ends, packets of a connection arrive at another process. The
// identifiers of connections therefore name the process, and packets are passed on to it through a socket in Dir. If a connection's
// process is gone, the process that gets its packets tells the client at once (stateless reset, RFC 9000 §10.3). The proofs of
// addresses (RFC 9000 §8.1) and the session tickets of TLS that one process issues are valid at all of them, and after restarts.
type SharedPort struct {
	// Key is the secret of all processes, at least 32 bytes that nobody can guess. All other keys are derived from it. While processes
	// with two different keys run, packets that arrive at the wrong one are lost.
	Key []byte

	// Process is the number of this process, from 0 to 65535. No two that run at the same time may have the same one.
	Process int

	// Dir is a directory in which each process keeps a socket and a file for each address that it serves. It must exist, be the
	// same for all processes, and only they should be able to write to it.
	Dir string
}
