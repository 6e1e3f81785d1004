// Prints the SHA-256 of the downloaded body, or, if there is a file to upload, the server's answer.
const http2 = require('node:http2');
const fs = require('node:fs');
const crypto = require('node:crypto');
const { pipeline } = require('node:stream/promises');

const [url, file] = process.argv.slice(2);
const session = http2.connect(url, { rejectUnauthorized: false });
session.on('error', (err) => { throw err; });

(async () => {
  if (file === undefined) {
    const sum = crypto.createHash('sha256');
    await pipeline(session.request({ ':path': '/down' }), sum);
    console.log(sum.digest('hex'));
  } else {
    const up = session.request({ ':method': 'PUT', ':path': '/up' });
    fs.createReadStream(file).pipe(up);
    for await (const part of up) process.stdout.write(part);
  }
  session.close();
})();
