// Tests the echo at a URL with the package ws. It prints nothing on success.
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { WebSocket } = require('ws')

const patience = { signal: AbortSignal.timeout(60_000) }

async function open() {
  const ws = new WebSocket(process.argv[2])
  await once(ws, 'open', patience)
  return ws
}

async function answer(ws) {
  const [data, isBinary] = await once(ws, 'message', patience)
  return isBinary ? data : data.toString()
}

async function main() {
  let ws = await open()
  assert.match(ws.extensions, /permessage-deflate/)
  const binary = Buffer.from(Array.from({ length: 70_000 }, (_, i) => ((i * 7919) >> 5) & 255))
  for (const message of ['grüße 👋', '', binary, 'the same words again; '.repeat(5000)]) {
    ws.send(message)
    assert.deepEqual(await answer(ws), message)
  }
  ws.send('frag', { fin: false })
  ws.send('', { fin: false })
  ws.send('ments ', { fin: false })
  ws.send('ü'.repeat(5000), { fin: true })
  assert.equal(await answer(ws), 'fragments ' + 'ü'.repeat(5000))
  ws.ping('are you there?')
  assert.equal((await once(ws, 'pong', patience))[0].toString(), 'are you there?')
  ws.send('/fragments')
  assert.equal(await answer(ws), 'f'.repeat(70_000))
  ws.send('/ping')
  assert.equal(await answer(ws), 'answered')
  ws.close(4001, 'bye')
  assert.equal((await once(ws, 'close', patience))[0], 4001)

  ws = await open()
  ws.send('/close 4002 wegen Ü')
  const [code, reason] = await once(ws, 'close', patience)
  assert.deepEqual([code, reason.toString()], [4002, 'wegen Ü'])
}

main().catch((err) => {
  console.error(err)
  process.exit(1)
})
