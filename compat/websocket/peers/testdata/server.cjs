// Serves an echo with the package ws and prints its port. The special texts are those of package wsecho.
const { WebSocketServer } = require('ws')

function answer(ws, data, isBinary) {
  const [, order, rest] = (!isBinary && data.toString().match(/^(\/\w+) ?(.*)$/s)) || []
  switch (order) {
    case '/close':
      return ws.close(Number(rest.slice(0, 4)), rest.slice(5))
    case '/ping':
      ws.once('pong', () => ws.send('answered'))
      return ws.ping('are you there?')
    case '/fragments':
      for (let i = 1; i <= 70; i++) ws.send('f'.repeat(1000), { fin: i === 70 })
      return
    default:
      return ws.send(data, { binary: isBinary })
  }
}

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: true }, () =>
  console.log('port', server.address().port),
)
server.on('connection', (ws) => ws.on('message', (data, isBinary) => answer(ws, data, isBinary)))
