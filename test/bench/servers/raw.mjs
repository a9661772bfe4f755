// The floor: a bare node:http server that reads the body of a request and answers with the bytes from its parent. With the
// files of a key and a certificate as arguments, a bare node:https server.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';

const answers = new Map();
const watchers = new Set();

function answer(request, response) {
  const { body, status = 200, frame } = answers.get(`${request.method} ${request.url}`) ?? { status: 404 };
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
    'content-length': body?.length ?? 0,
  });
  response.end(body);
  if (frame !== undefined) for (const watcher of watchers) watcher.write(frame);
}

const [key, cert] = process.argv.slice(2).map((file) => readFileSync(file));

function serve(request, response) {
  if (request.url?.includes('watch=true')) {
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    response.flushHeaders();
    watchers.add(response);
    response.on('close', () => watchers.delete(response));
  } else if (request.headers['content-length'] === undefined) answer(request, response);
  else {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => answer(request, response));
  }
}

// The program keeps idle connections for longer than Node by default.
const options = { keepAliveTimeout: 600_000 };
const server = key === undefined ? createServer(options, serve) : createSecureServer({ ...options, key, cert }, serve);
process.on('message', (message) => {
  if (message.answer !== undefined) {
    const { method = 'GET', path, text, status, frame } = message.answer;
    answers.set(`${method} ${path}`, {
      body: Buffer.from(text),
      status,
      frame: frame === undefined ? undefined : Buffer.from(frame),
    });
  } else process.send?.({ cpu: process.cpuUsage() });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}` });
});
