/** Short texts are passed to the system in one piece; the protocol remains that of Node. */
import { expect, onTestFinished, test } from 'vitest';
import type { Handler } from '../../src/server/requests/http.js';
import { listen } from '../../src/transport/node/listening/listen.js';
import { RawClient } from './support/raw-client.js';

async function clientOf(handle: Handler): Promise<RawClient> {
  const listener = await listen({ handle });
  onTestFinished(() => listener.close({ grace: 0 }));
  return new RawClient(listener.address.port);
}

const request = (path: string, version = '1.1'): string => `GET ${path} HTTP/${version}\r\nHost: localhost\r\n\r\n`;

/** The bodies and their declared lengths, in the order of the answers. */
function answersOf(received: string): string[] {
  return received
    .split(/(?=HTTP\/1\.1 )/)
    .map((answer) => `${/content-length: (\d+)/i.exec(answer)?.[1]} ${answer.slice(answer.indexOf('\r\n\r\n') + 4)}`);
}

test('answers to pipelined requests have the order of the requests, although the last is ready first', async () => {
  const ends: (() => void)[] = [];
  const client = await clientOf(async ({ path }) => {
    if (path === '/first') await new Promise<void>((resolve) => ends.push(resolve));
    else setImmediate(() => ends[0]?.());
    return { status: 200, headers: {}, body: `text of ${path}` };
  });
  client.write(request('/first') + request('/second') + request('/third'));
  await client.until('text of /third');
  expect(answersOf(client.received)).toEqual(['14 text of /first', '15 text of /second', '14 text of /third']);
});

test('texts beyond ASCII and empty ones are sent as UTF-8, and the connection is used again', async () => {
  const texts: Record<string, string> = { '/ascii': 'ascii', '/umlaut': 'ä', '/far': '世界 🌍', '/empty': '' };
  const client = await clientOf(async ({ path }) => ({ status: 200, headers: {}, body: texts[path] ?? 'last' }));
  for (const path of Object.keys(texts)) client.write(request(path));
  client.write(request('/last'));
  await client.until('last');
  const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
  expect(answersOf(client.received)).toEqual([
    '5 ascii',
    `2 ${latin1('ä')}`,
    `${Buffer.byteLength('世界 🌍')} ${latin1('世界 🌍')}`,
    '0 ',
    '4 last',
  ]);
});

test('a connection of HTTP/1.0 ends after its answer', async () => {
  const client = await clientOf(async () => ({ status: 200, headers: {}, body: 'text' }));
  client.write(request('/', '1.0'));
  await client.closed;
  expect(answersOf(client.received)).toEqual(['4 text']);
});
