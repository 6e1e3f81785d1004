// Sends requests to an HTTP/2 server with node's http2.
const http2 = require('node:http2');
const assert = require('node:assert');

const session = http2.connect(process.argv[2], { rejectUnauthorized: false });
session.on('error', (err) => { throw err; });

const long = Buffer.alloc(300_000, 'abcdefg');

function ask(method, body, fields = {}) {
  return new Promise((resolve, reject) => {
    const req = session.request({ ':method': method, ':path': '/', ...fields }, { endStream: body === undefined });
    const parts = [];
    let head;
    req.on('response', (h) => { head = h; });
    req.on('data', (part) => parts.push(part));
    req.on('end', () => resolve({ head, body: Buffer.concat(parts) }));
    req.on('error', reject);
    if (body !== undefined) req.end(body);
  });
}

function giveUp() {
  return new Promise((resolve) => {
    const req = session.request({ ':method': 'POST', ':path': '/' });
    req.on('error', resolve);
    req.on('close', resolve);
    req.write('begun');
    req.close(http2.constants.NGHTTP2_CANCEL);
  });
}

(async () => {
  let r = await ask('GET');
  assert.equal(r.head[':status'], 200);
  assert.equal(r.head['x-proto'], 'HTTP/2.0');
  assert.equal(r.body.toString(), 'hello\n');
  r = await ask('POST', long);
  assert.ok(r.body.equals(long));
  r = await ask('HEAD');
  assert.equal(r.head['x-method'], 'HEAD');
  const all = await Promise.all(Array.from({ length: 50 }, (_, i) => ask('PUT', long.subarray(0, i * 100))));
  all.forEach((r, i) => assert.equal(r.body.length, i * 100));
  for (let i = 0; i < 20; i++) {
    await giveUp();
    await ask('GET');
  }
  await new Promise((resolve, reject) => session.ping((err) => (err ? reject(err) : resolve())));
  session.close(() => console.log('all is well'));
})();
