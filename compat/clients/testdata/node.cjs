// A Node.js server for each HTTP version, with TLS and without. The arguments are a folder and the four ports.
const fs = require('fs'), path = require('path'), zlib = require('zlib'), crypto = require('crypto');
const http = require('http'), https = require('https'), http2 = require('http2');
const [dir, plain1, secure1, plain2, secure2] = process.argv.slice(2);
const tls = { key: fs.readFileSync(path.join(dir, 'key.pem')), cert: fs.readFileSync(path.join(dir, 'certificate.pem')) };

function answer(req, res) {
  if (req.url === '/up') {
    const sum = crypto.createHash('sha256');
    let n = 0;
    req.on('data', d => { n += d.length; sum.update(d); });
    req.on('end', () => res.end(`${req.method} ${n} ${sum.digest('hex')} <nil>\n`));
    return;
  }
  if (req.url === '/folder') {
    res.writeHead(301, { location: '/folder/' });
    res.end('moved');
    return;
  }
  const name = path.join(dir, 'files', req.url === '/folder/' ? '/folder/index.html' : req.url);
  const st = fs.statSync(name, { throwIfNoEntry: false });
  if (!st) {
    res.writeHead(404);
    res.end();
    return;
  }
  const modified = new Date(st.mtimeMs).toUTCString();
  if (req.headers['if-modified-since'] === modified) {
    res.writeHead(304);
    res.end();
    return;
  }
  const head = { 'last-modified': modified };
  const file = fs.createReadStream(name);
  if (name.endsWith('.txt') && /\bgzip\b/.test(req.headers['accept-encoding'] || '')) {
    res.writeHead(200, { ...head, 'content-encoding': 'gzip' });
    file.pipe(zlib.createGzip()).pipe(res);
    return;
  }
  res.writeHead(200, { ...head, 'content-length': st.size });
  if (req.method === 'HEAD') {
    file.destroy();
    res.end();
  } else {
    file.pipe(res);
  }
}

http.createServer(answer).listen(plain1, '127.0.0.1');
https.createServer(tls, answer).listen(secure1, '127.0.0.1');
http2.createServer(answer).listen(plain2, '127.0.0.1');
http2.createSecureServer(tls, answer).listen(secure2, '127.0.0.1');
