// Checks parts of the JavaScript client that need no server: its queue, its delays, its limits. check({ Socket, Decoder, encode })
// throws at the first mistake.

function equal(got, want, what) {
  if (JSON.stringify(got) !== JSON.stringify(want)) {
    throw new Error(`${what}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`)
  }
}

function throws(type, f, what) {
  try {
    f()
  } catch (e) {
    return equal(e.constructor.name, type.name, what)
  }
  throw new Error(`${what}: nothing is thrown`)
}

/** A WebSocket that does what the test says. */
class Stub {
  static all = []
  bufferedAmount = 0
  protocol = 'b'
  sent = []

  constructor(url, protocols) {
    Object.assign(this, { url, protocols })
    Stub.all.push(this)
  }

  send(p) {
    this.sent.push(typeof p === 'string' ? p : [...p])
  }

  close(code, reason) {
    this.closed = [code, reason]
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function open(Socket, options) {
  Stub.all = []
  const s = new Socket('ws://stub', { WebSocket: Stub, subprotocols: ['a', 'b'], redialFirst: 1, ...options })
  const said = []
  for (const event of ['connected', 'reconnected', 'message', 'disconnected', 'failed']) {
    s.on(event, (value) => said.push([event, value]))
  }
  while (Stub.all.length === 0) await pause(1)
  return { s, said, ws: Stub.all[0] }
}

async function queue({ Socket }) {
  const { s, ws, said } = await open(Socket, { queueBytes: 5, queueMessages: 3 })
  equal([ws.url, ws.protocols, s.state], ['ws://stub', ['a', 'b'], 'connecting'], 'what is dialled')
  const own = new Uint8Array([1])
  equal([s.send(own), s.send(new Uint8Array(3)), s.send(new Uint8Array(2))], [true, true, false], 'too many bytes')
  own[0] = 9 // the caller's again
  equal([s.send(new ArrayBuffer(0)), s.send(new Uint8Array(0)), s.waiting], [true, false, 4], 'too many messages')
  ws.onopen()
  equal(ws.sent, [[1], [0, 0, 0], []], 'what waited')
  equal([said, s.state], [[['connected', { subprotocol: 'b' }]], 'connected'], 'the event')
  ws.bufferedAmount = 4
  equal([s.send(new Uint8Array(1)), s.send(new Uint8Array(2))], [true, false], 'behind what the browser holds')
  ws.bufferedAmount = 0
  equal(s.send(new DataView(new ArrayBuffer(9), 1, 7)), true, 'one message always')
  equal(ws.sent.at(-1).length, 7, 'a view')
  throws(TypeError, () => s.send('text'), 'text that was not asked for')
  throws(TypeError, () => s.send(5), 'a number')
  for (const code of [999, 1001, 1009, 2999, 5000]) throws(RangeError, () => s.close(code), `code ${code}`)
  throws(RangeError, () => s.close(1000, 'ü'.repeat(62)), 'a reason of 124 bytes')
  s.close(4000, 'bye')
  equal([ws.closed, s.state, s.send(own)], [[4000, 'bye'], 'closed', false], 'close')
  ws.onmessage?.({ data: new ArrayBuffer(1) })
  ws.onclose({ code: 1006, reason: '' })
  equal(said.length, 2, 'what is told behind close')
  equal(said.at(-1), ['disconnected', { reason: 'local', code: 4000, text: 'bye', returns: false }], 'the end')
  await pause(5)
  equal(Stub.all.length, 1, 'connections')
}

async function waits({ Socket }) {
  const { s, said } = await open(Socket, { redialFirst: 8, redialLongest: 40, handshake: 0 })
  for (let i = 1; i <= 4; i++) {
    while (Stub.all.length < i) await pause(1)
    Stub.all.at(-1).onclose({ code: 1006, reason: '' })
  }
  const tops = [8, 16, 32, 40]
  const fit = said.map(([event, { wait }], i) => event === 'failed' && wait > tops[i] / 2 - 0.001 && wait <= tops[i])
  equal(fit, [true, true, true, true], `the waits ${JSON.stringify(said)}`)
  equal(said.some(([, { wait }], i) => wait < tops[i]), true, 'less by chance')
  while (Stub.all.length < 5) await pause(1)
  Stub.all.at(-1).onopen()
  Stub.all.at(-1).onclose({ code: 1006, reason: '' })
  while (Stub.all.length < 6) await pause(1)
  Stub.all.at(-1).onclose({ code: 1006, reason: '' })
  equal(said.at(-1)[1].wait > 20, true, 'after a connection that has not lasted the waits go on')
  while (Stub.all.length < 7) await pause(1)
  s.close()
  equal(Stub.all.at(-1).closed !== undefined, true, 'a handshake that nobody waits for')
  await pause(50)
  equal([Stub.all.length, said.length], [7, 7], 'after close')
}

async function lasting({ Socket }) {
  const { s, said } = await open(Socket, { redialFirst: 8, redialLongest: 40, handshake: 0 })
  Stub.all.at(-1).onclose({ code: 1006, reason: '' })
  while (Stub.all.length < 2) await pause(1)
  Stub.all.at(-1).onopen()
  await pause(45)
  Stub.all.at(-1).onclose({ code: 1006, reason: '' })
  while (Stub.all.length < 3) await pause(1)
  Stub.all.at(-1).onclose({ code: 1006, reason: '' })
  equal(said.at(-1)[1].wait <= 16, true, 'after a connection that has lasted the waits begin again')
  while (Stub.all.length < 4) await pause(1)
  Stub.all.at(-1).onopen()
  Stub.all.at(-1).onclose({ code: 1013, reason: 'later' })
  while (Stub.all.length < 5) await pause(1)
  Stub.all.at(-1).onclose({ code: 1006, reason: '' })
  equal(said.at(-1)[1].wait > 20, true, 'a server that asks to come back later')
  s.close()
  equal(Stub.all.at(-1).closed !== undefined, true, 'a handshake that nobody waits for')
}

async function handshake({ Socket }) {
  const { s, said, ws } = await open(Socket, { handshake: 5, redialFirst: -1 })
  while (said.length === 0) await pause(1)
  equal([said, ws.closed !== undefined, s.state], [[['failed', { wait: 0 }]], true, 'closed'], 'a handshake that takes too long')
}

/** The error of a listener that throws is reported, and the messages after its own are not lost. */
async function listeners({ Socket, encode }) {
  const { s, said, ws } = await open(Socket, { prefixed: true, maxMessage: 3 })
  ws.onopen()
  let thrown
  const note = (e) => {
    thrown = e.message ?? e.error.message
    e.preventDefault?.()
  }
  if (globalThis.process?.once) process.once('uncaughtException', note)
  else addEventListener('error', note, { once: true })
  const end = s.on('message', () => {
    throw new Error('on purpose')
  })
  const both = [...encode(new Uint8Array(1)), ...encode(new Uint8Array(3))]
  ws.onmessage({ data: Uint8Array.from(both.slice(0, 5)).buffer })
  end()
  ws.onmessage({ data: Uint8Array.from(both.slice(5)).buffer })
  equal(said.slice(1).map(([event, m]) => [event, m.length]), [['message', 1], ['message', 3]], 'messages')
  await pause(5)
  equal(String(thrown).includes('on purpose'), true, 'what was thrown')
  ws.onmessage({ data: Uint8Array.from([0, 0, 0, 4]).buffer })
  const { reason, length, returns } = said.at(-1)[1]
  equal([reason, length, returns, ws.closed[0]], ['too-large', 4, true, 4009], 'the refusal')
  s.close()
}

/** close in a message listener discards the messages after it. */
async function closing({ Socket, encode }) {
  const { s, said, ws } = await open(Socket, { prefixed: true })
  ws.onopen()
  s.on('message', () => s.close())
  ws.onmessage({ data: Uint8Array.from([...encode(new Uint8Array(1)), ...encode(new Uint8Array(2))]).buffer })
  equal(said.map(([event]) => event), ['connected', 'message'], 'what is told')
}

function decoder({ Decoder, encode }) {
  const messages = [0, 1, 0, 5, 300, 70_000, 0].map((n) => Uint8Array.from({ length: n }, (_, i) => i % 251))
  const wire = Uint8Array.from(messages.flatMap((m) => [...encode(m)]))
  for (const size of [1, 2, 3, 4, 5, 7, 1000, wire.length]) {
    const d = new Decoder()
    const got = []
    for (let at = 0; at < wire.length; at += size) got.push(...d.push(wire.slice(at, at + size)))
    equal(got.map((m) => m.join()), messages.map((m) => m.join()), `pieces of ${size} bytes`)
    equal(d.between, true, 'between two messages')
    for (const start of [wire.subarray(0, 0), Uint8Array.of(0), Uint8Array.of(0, 0, 5), Uint8Array.of(7)]) {
      equal([[...d.push(start)].length, d.between], [0, start.length === 0], `behind ${start}`)
    }
  }
  throws(RangeError, () => [...new Decoder(5).push(Uint8Array.of(0, 0, 0, 6))], 'a length that is too large')
  throws(RangeError, () => [...new Decoder(5).push(Uint8Array.of(255, 255, 255, 255))], 'the longest length')
  equal([...new Decoder(0).push(Uint8Array.of(255, 255, 255, 255))], [], 'the longest length without a limit')
}

export async function check(module) {
  const { Socket } = module
  throws(TypeError, () => new Socket('ws://stub', { WebSocket: Stub, prefixed: true, text: true }), 'prefixed text')
  throws(TypeError, () => new Socket('ws://stub', { WebSocket: null }), 'no WebSocket')
  decoder(module)
  for (const part of [queue, waits, lasting, handshake, listeners, closing]) await part(module)
}
