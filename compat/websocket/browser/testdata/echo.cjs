// Serves an echo with the package ws and prints its port.
const { WebSocketServer } = require('ws')

const server = new WebSocketServer({
  host: '127.0.0.1', port: 0, perMessageDeflate: true, handleProtocols: (offers) => offers.has('chat') && 'chat',
}, () => console.log('port', server.address().port))
server.on('connection', (ws) =>
  ws.on('message', (data, isBinary) =>
    !isBinary && data.toString() === 'close' ? ws.close(4321, 'bye') : ws.send(data, { binary: isBinary })))
