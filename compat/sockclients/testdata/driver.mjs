// Plays the jobs that doc.go describes, with the client of clients/js: in a page, and in Node.js.

const node = globalThis.process?.versions?.node
// Versions of Node.js without WebSocket have the one of the package ws, if that is asked for.
let WebSocket = globalThis.WebSocket
if (globalThis.process?.env.DRIVER_WS) {
  const { createRequire } = await import('node:module')
  WebSocket = createRequire(import.meta.url)('ws')
}
const client = await import(node ? '../../../clients/js/streamsock.js' : '/clients/js/streamsock.js')

function fnv(b) {
  let h = 0x811c9dc5
  for (const byte of b) h = Math.imul(h ^ byte, 0x01000193)
  return (h >>> 0).toString(16).padStart(8, '0')
}

const fill = (n) => Uint8Array.from({ length: n }, (_, i) => i % 251)

function obey(s, [what, ...rest]) {
  if (what === 'close') s.close(Number(rest[0]), rest[1])
  else if (what === 'send') s.send(fill(Number(rest[0])))
  else if (what === 'text') s.send(rest[0])
}

/** Plays one job, and calls say with each line. The job "unit" runs the checks that need no connection. */
export async function play(job, say) {
  if (job === 'unit') {
    const { check } = await import('./unit.mjs')
    await check(client)
    return say('end well')
  }
  const [flags, most, ...url] = job.split(',')
  const s = new client.Socket(url.join(','), {
    WebSocket,
    prefixed: flags.includes('p'),
    text: flags.includes('t'),
    maxMessage: Number(most),
    redialFirst: flags.includes('r') ? 10 : -1,
  })
  s.on('reconnected', () => say('reconnected'))
  s.on('message', (m) => {
    const b = typeof m === 'string' ? new TextEncoder().encode(m) : m
    const words = new TextDecoder().decode(b.subarray(0, 100))
    if (words.startsWith('do:')) obey(s, words.slice(3).split(' '))
    else if (flags.includes('e')) s.send(m)
    else say(`message ${typeof m === 'string' ? 'text' : 'binary'} ${b.length} ${fnv(b)}`)
  })
  return new Promise((resolve) => {
    s.on('disconnected', (end) => {
      say(`end ${end.reason} ${end.code} ${end.length ?? 0} ${end.text.replaceAll(' ', '_') || '-'}${end.returns ? ' returns' : ''}`)
      if (flags.includes('r')) for (const n of [1, 2, 3]) s.send(fill(n)) // they wait
      if (!end.returns) resolve()
    })
    s.on('failed', ({ wait }) => {
      if (wait > 0) return
      say('failed')
      resolve()
    })
  })
}

if (node) for (const job of process.argv.slice(2)) await play(job, console.log)
