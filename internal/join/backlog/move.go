package backlog

// Progress is how far Move has come.
type Progress uint8

// The results of Move.
const (
	Stands Progress = iota // nothing is in line any more
	Full                   // the output queue is full: Move is to be called when it has room
	Turn                   // a goroutine has its turn: Move is to be called when that is over
)

// Move passes items to post while that accepts them, which means that it has copied or retained the frame. An error of
// post ends the line: see Fail.
func (l *Line) Move(post func(p *Item) (ok bool, err error)) Progress {
	for len(l.items) > 0 {
		if l.items[0].kind == turn {
			close(l.take(0).turn)
			return Turn
		}
		ok, err := post(&l.items[0])
		if err != nil {
			l.Fail(err)
			break
		}
		if !ok {
			return Full
		}
		p := l.take(0)
		p.Release()
	}
	l.moving = false
	l.room.Broadcast()
	return Stands
}
