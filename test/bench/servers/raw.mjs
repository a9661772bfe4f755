// The floor: a bare node:http server that answers with the bytes from its parent.
import { createServer } from 'node:http';

const answers = new Map();
const server = createServer((request, response) => {
  const body = answers.get(request.url ?? '');
  response.writeHead(body === undefined ? 404 : 200, {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
    'content-length': body?.length ?? 0,
  });
  response.end(body);
});
process.on('message', (message) => {
  if (message.answer !== undefined) answers.set(message.answer.path, Buffer.from(message.answer.text));
  else process.send?.({ cpu: process.cpuUsage() });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}` });
});
