// A client of Shockwave's routing-id sockets for browsers and Node.js, over WebSocket. streamsock.d.ts has the types and
// documents the options; docs/wire/streamsock.md specifies the wire.

const HEADER = 4 // bytes of the length prefix: unsigned, big-endian
const encoder = new TextEncoder()

// The WebSocket API lets pages send only the codes 1000 and 3000 to 4999. These codes replace 1003 (text is refused) and
// 1009 (the message is too large).
const REFUSED_TEXT = 4003
const REFUSED_LENGTH = 4009

const DEFAULTS = {
  prefixed: false,
  text: false,
  maxMessage: 16 << 20,
  queueBytes: 4 << 20,
  queueMessages: 1000,
  redialFirst: 100,
  redialLongest: 5000,
  handshake: 10_000,
  subprotocols: [],
}

/** Returns p with its length prefix, as on tcp and in prefixed framing. */
export function encode(p) {
  const b = new Uint8Array(HEADER + p.length)
  new DataView(b.buffer).setUint32(0, p.length)
  b.set(p, HEADER)
  return b
}

/** Splits a byte stream, given in arbitrary pieces, into messages. */
export class Decoder {
  #max
  #gather = new Uint8Array(0) // an incomplete header or payload: #have bytes of #want
  #have = 0
  #want = HEADER
  #payload = false

  constructor(maxMessage = DEFAULTS.maxMessage) {
    this.#max = maxMessage
  }

  /** Whether the stream is between two messages and may end here. */
  get between() {
    return !this.#payload && this.#have === 0
  }

  /** Reads the next bytes and yields the messages that they complete. Throws a RangeError for a length above the limit. */
  *push(bytes) {
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + this.#want - this.#have)
      at += piece.length
      const whole = this.#add(piece)
      if (!whole) return
      if (this.#payload) {
        this.#expect(HEADER, false)
        yield whole
        continue
      }
      const length = new DataView(whole.buffer, whole.byteOffset, HEADER).getUint32(0)
      if (this.#max && length > this.#max) throw tooLarge(length, this.#max)
      if (length > 0) this.#expect(length, true)
      else yield new Uint8Array(0)
    }
  }

  #expect(want, payload) {
    this.#want = want
    this.#payload = payload
  }

  // #add returns the wanted header or payload once it is complete, else null. Memory grows with the bytes received, not with
  // the announced length.
  #add(piece) {
    const have = this.#have + piece.length
    if (have === piece.length && have === this.#want) return piece
    if (have > this.#gather.length) {
      const more = new Uint8Array(Math.min(this.#want, Math.max(have, 2 * this.#gather.length)))
      more.set(this.#gather.subarray(0, this.#have))
      this.#gather = more
    }
    this.#gather.set(piece, this.#have)
    this.#have = have
    if (have < this.#want) return null
    const whole = this.#gather
    this.#gather = new Uint8Array(0)
    this.#have = 0
    return whole
  }
}

const tooLarge = (length, max) => Object.assign(new RangeError(`${length} bytes, ${max} are taken`), { length })

/** A connection that is dialled again whenever it breaks, until close() is called. */
export class Socket {
  #url
  #options
  #listeners = {}
  #queue = [] // messages that wait for a connection
  #queued = 0 // bytes in #queue
  #ws = null // the connection, or the one that is being opened
  #open = false
  #was = false // has been connected before
  #closed = false
  #wait = 0
  #since = 0 // when the connection was opened
  #timer

  constructor(url, options = {}) {
    this.#url = String(url)
    const o = (this.#options = { WebSocket: globalThis.WebSocket, ...DEFAULTS, ...options })
    if (!o.WebSocket) throw new TypeError('there is no WebSocket here: pass one as options.WebSocket')
    if (o.prefixed && o.text) throw new TypeError('prefixed framing has no text')
    this.#wait = o.redialFirst
    this.#timer = setTimeout(() => this.#dial()) // so that listeners can be added first
  }

  /** 'connecting', 'connected', 'away' (lost, and will be dialled again) or 'closed'. */
  get state() {
    if (this.#closed) return 'closed'
    if (this.#open) return 'connected'
    return this.#was ? 'away' : 'connecting'
  }

  /** Number of bytes that wait for a connection, or for the browser to send them. */
  get waiting() {
    return this.#queued + (this.#open ? this.#ws.bufferedAmount : 0)
  }

  /** Adds a listener for an event. Returns a function that removes it. */
  on(event, listener) {
    const all = (this.#listeners[event] ??= new Set())
    all.add(listener)
    return () => all.delete(listener)
  }

  /** Sends a message. Returns false if there is no room for it or the socket is closed. */
  send(message) {
    if (this.#closed) return false
    const o = this.#options
    let p = message
    if (typeof p !== 'string') p = bytesOf(p)
    else if (!o.text) throw new TypeError('text without options.text')
    const size = typeof p === 'string' ? encoder.encode(p).length : p.length
    if (this.waiting + size > o.queueBytes && this.waiting > 0) return false
    if (this.#open) {
      this.#transmit(p)
      return true
    }
    if (this.#queue.length >= o.queueMessages) return false
    // Copy the bytes: the caller may reuse them.
    this.#queue.push({ p: typeof p === 'string' ? p : p.slice(), size })
    this.#queued += size
    return true
  }

  /** Closes the socket. Messages sent while connected leave first; messages that wait for a connection are dropped. */
  close(code = 1000, reason = '') {
    if (code !== 1000 && !(code >= 3000 && code <= 4999)) throw new RangeError(`code ${code} may not be sent`)
    if (encoder.encode(reason).length > 123) throw new RangeError('the reason is longer than 123 bytes')
    if (this.#closed) return
    this.#closed = true
    this.#queue = []
    this.#queued = 0
    clearTimeout(this.#timer)
    const ws = this.#ws
    if (!ws) return
    if (!this.#open) return this.#abandon()
    ws.onmessage = null
    ws.onclose = ws.onerror = () => this.#over({ reason: 'local', code, text: reason })
    ws.close(code, reason)
  }

  #emit(event, value) {
    for (const listener of this.#listeners[event] ?? []) {
      try {
        listener(value)
      } catch (e) {
        queueMicrotask(() => { throw e }) // report it, but keep the connection: the peer is not to blame
      }
    }
  }

  #transmit(p) {
    this.#ws.send(this.#options.prefixed ? encode(p) : p)
  }

  #dial() {
    const { WebSocket, subprotocols, handshake } = this.#options
    const ws = (this.#ws = new WebSocket(this.#url, subprotocols))
    const decoder = this.#options.prefixed ? new Decoder(this.#options.maxMessage) : null
    ws.binaryType = 'arraybuffer'
    ws.onopen = () => this.#opened()
    ws.onmessage = (e) => this.#received(e.data, decoder)
    ws.onclose = (e) => (this.#open ? this.#ended(e, decoder) : this.#failed())
    ws.onerror = () => ws.onclose({ code: 1006, reason: '' }) // some implementations do not call onclose after it
    if (handshake > 0) this.#timer = setTimeout(() => this.#failed(), handshake)
  }

  #opened() {
    clearTimeout(this.#timer)
    this.#open = true
    this.#since = performance.now()
    const queue = this.#queue
    this.#queue = []
    this.#queued = 0
    for (const { p } of queue) this.#transmit(p)
    const event = this.#was ? 'reconnected' : 'connected'
    this.#was = true
    this.#emit(event, { subprotocol: this.#ws.protocol })
  }

  #received(data, decoder) {
    const o = this.#options
    const ws = this.#ws
    if (typeof data === 'string' && !o.text) return this.#refuse('text', REFUSED_TEXT, 'text messages are not enabled')
    try {
      for (const m of decoder?.push(new Uint8Array(data)) ?? this.#whole(data)) {
        this.#emit('message', m)
        if (this.#ws !== ws || this.#closed) return
      }
    } catch (e) {
      this.#refuse('too-large', REFUSED_LENGTH, e.message, e.length)
    }
  }

  // #whole returns the message of a WebSocket message that is not prefixed.
  #whole(data) {
    const max = this.#options.maxMessage
    const m = typeof data === 'string' ? data : new Uint8Array(data)
    const length = m === data ? encoder.encode(m).length : m.length
    if (max && length > max) throw tooLarge(length, max)
    return [m]
  }

  // #refuse ends the connection because of a bad message. Later messages are not read.
  #refuse(reason, code, text, length) {
    this.#ws.close(code, text)
    this.#over({ reason, code, text, length })
  }

  // #ended is called when the peer or the network has ended the connection.
  #ended({ code, reason: text }, decoder) {
    const whole = code !== 1006 && (!decoder || decoder.between)
    this.#over({ reason: whole ? 'closed' : 'truncated', code, text })
  }

  #over(end) {
    this.#detach()
    this.#open = false
    const o = this.#options
    if (performance.now() - this.#since >= o.redialLongest) this.#wait = o.redialFirst // a connection that has lasted
    if (end.code === 1012 || end.code === 1013) this.#wait = o.redialLongest // the server asks to come back later
    const returns = !this.#closed && this.#again() > 0
    if (!returns) this.#closed = true
    this.#emit('disconnected', { ...end, returns })
  }

  // #failed is called when a connection could not be opened.
  #failed() {
    this.#abandon()
    const wait = this.#again()
    if (!wait) this.#closed = true
    this.#emit('failed', { wait })
  }

  #again() {
    const o = this.#options
    if (o.redialFirst < 0) return 0
    // Each wait is reduced by a random part of up to one half, so that clients do not all return at once.
    const wait = Math.max(1, this.#wait * (1 - Math.random() / 2))
    this.#wait = Math.min(this.#wait * 2, o.redialLongest)
    this.#timer = setTimeout(() => this.#dial(), wait)
    return wait
  }

  #abandon() {
    const ws = this.#ws
    this.#detach()
    ws.close()
  }

  #detach() {
    clearTimeout(this.#timer)
    const ws = this.#ws
    this.#ws = null
    ws.onopen = ws.onmessage = ws.onclose = null
    ws.onerror = () => {}
  }
}

// bytesOf returns the bytes of an ArrayBuffer or of a view of one, without copying them.
function bytesOf(p) {
  if (p instanceof ArrayBuffer) return new Uint8Array(p)
  if (ArrayBuffer.isView(p)) return new Uint8Array(p.buffer, p.byteOffset, p.byteLength)
  throw new TypeError('a message is an ArrayBuffer, a view of one, or with options.text a string')
}
