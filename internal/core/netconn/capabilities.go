package netconn

// These interfaces may be implemented by a Protocol, some of them by an Owner, to be told more.

// Drainer is a Protocol that closes its connection itself at Shutdown. Shutdown does not end such a connection when it
// is idle. It calls Drain instead, and Data returns ErrDone once the peer has been told. Drain must not block. It may
// be called by any goroutine, while Data runs, and more than once.
type Drainer interface{ Drain() }

// InputEnder is a Protocol whose work goes on after Data has returned. EndOfInput is called on the connection's
// goroutine when the peer has closed its write half or the connection is broken, so that no more input comes. End is
// called at once, or when no work is left. err is the error of the read: io.EOF if the peer has closed.
type InputEnder interface{ EndOfInput(err error) }

// Parker is a Protocol that can release memory while its connection is idle. Park is called on the connection's
// goroutine just before the connection parks. The connection's next call is Data or End; other goroutines may call
// methods of the protocol meanwhile.
type Parker interface{ Park() }

// Aborter is a Protocol or Owner whose work goes on after Data has returned. Aborted is called by Abort, on its goroutine,
// before the connection's goroutine has noticed. It must not block.
type Aborter interface{ Aborted() }

// Breaker is an Owner or a Protocol that wants to know when writing has failed, even if no goroutine reads. Broke is
// called on a goroutine of its own.
type Breaker interface{ Broke() }

// Alarmer is a Protocol or Owner that SetAlarm can be used with.
type Alarmer interface{ Alarm() }

// EarlyAlarmer is an Alarmer whose alarms stand for deadlines of users, too: these come closer when time is lost, so Alarm is
// called then, before its time, and computes anew when the next one is due. The alarms of others stay as far away as they were.
type EarlyAlarmer interface {
	Alarmer
	AlarmEarly()
}
