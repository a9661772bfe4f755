import { encodeUtf8 } from '../../foundation/index.js';
import { check, equal } from '../assert.js';
import { SMALL_LIMIT_BYTES } from './echo-handler.js';
import type { TransportCase, TransportCaseContext } from './transport-case.js';

interface Echoed {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

async function echo({ base, fetch }: TransportCaseContext, target: string, init?: RequestInit): Promise<Echoed> {
  const answer = await fetch(base + target, init);
  equal(answer.status, 200, `status of ${target}`);
  return (await answer.json()) as Echoed;
}

const BODY_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Cases on requests: method, path, query, headers, body. */
export const requestCases = [
  {
    name: 'methods arrive as sent',
    async run(context) {
      for (const method of ['GET', 'OPTIONS', ...BODY_METHODS])
        equal((await echo(context, '/echo', { method })).method, method, 'method');
    },
  },
  {
    name: 'path and query arrive as sent',
    async run(context) {
      const { path, query } = await echo(context, '/echo/a%2Fb/%20c/d%3Ae//f?x=%2F&y=a+b&empty=&y=2');
      equal(path, '/echo/a%2Fb/%20c/d%3Ae//f', 'path');
      equal(query, 'x=%2F&y=a+b&empty=&y=2', 'query');
    },
  },
  {
    name: 'a long path arrives completely',
    async run(context) {
      const segment = 'n'.repeat(1500);
      equal((await echo(context, `/echo/${segment}`)).path, `/echo/${segment}`, 'path');
    },
  },
  {
    name: 'repeated request headers keep every value',
    async run(context) {
      const headers = new Headers();
      headers.append('Impersonate-Group', 'one');
      headers.append('Impersonate-Group', 'two');
      const got = (await echo(context, '/echo', { headers })).headers['impersonate-group'] ?? [];
      // WHATWG clients join the values; a transport that keeps the fields separate shows the original ones.
      equal(got.join(', '), 'one, two', 'impersonate-group');
    },
  },
  {
    name: 'a body of any content type arrives byte for byte',
    async run(context) {
      for (const type of [
        'application/json',
        'application/yaml',
        'application/apply-patch+yaml',
        'application/x-unheard-of',
        'text/plain',
      ]) {
        for (const method of BODY_METHODS) {
          const body = type === 'application/json' ? '{"a":[1,2,{"b":"grün"}]}' : 'a: "grün"\n';
          equal(
            (await echo(context, '/echo', { method, headers: { 'content-type': type }, body })).body,
            body,
            `${method} ${type}`,
          );
        }
      }
    },
  },
  {
    name: 'a body without a content type arrives',
    async run(context) {
      equal((await echo(context, '/echo', { method: 'POST', body: encodeUtf8('bare') })).body, 'bare', 'body');
    },
  },
  {
    name: 'a body of several megabytes arrives completely',
    async run(context) {
      const body = 'b'.repeat(3 * 1024 * 1024);
      const got = (await echo(context, '/echo', { method: 'PUT', headers: { 'content-type': 'text/plain' }, body }))
        .body;
      check(got === body, 'the body came back the same');
    },
  },
  {
    name: 'a body of unknown length arrives completely',
    async run(context) {
      equal((await echo(context, '/echo', streamed(['one ', 'two ', 'three']))).body, 'one two three', 'body');
    },
  },
  {
    name: 'a body over the limit is refused, and the next request is served',
    async run(context) {
      const { base, fetch } = context;
      const whole = await fetch(`${base}/limit`, post('x'.repeat(SMALL_LIMIT_BYTES)));
      equal(await whole.json(), { length: SMALL_LIMIT_BYTES }, 'a body of exactly the limit');
      for (const length of [SMALL_LIMIT_BYTES + 1, 300_000]) {
        const refused = await fetch(`${base}/limit`, post('x'.repeat(length)));
        equal([refused.status, await refused.json()], [413, { limit: SMALL_LIMIT_BYTES }], `a body of ${length}`);
      }
      equal((await echo(context, '/echo')).method, 'GET', 'the next request');
    },
  },
  {
    name: 'a body of unknown length over the limit is refused',
    async run({ base, fetch }) {
      const refused = await fetch(`${base}/limit`, streamed(Array.from({ length: 8 }, () => 'x'.repeat(400))));
      equal([refused.status, await refused.json()], [413, { limit: SMALL_LIMIT_BYTES }], 'answer');
    },
  },
  {
    name: 'a body that the handler does not read has no effect on later requests',
    async run(context) {
      const { base, fetch } = context;
      for (let at = 0; at < 3; at++) {
        const ignored = await fetch(`${base}/ignore`, post('x'.repeat(100_000)));
        equal(await ignored.json(), { read: false }, 'answer');
      }
      equal((await echo(context, '/echo')).method, 'GET', 'the next request');
    },
  },
  {
    name: 'sequential and concurrent requests are kept separate',
    async run(context) {
      for (let at = 0; at < 20; at++) equal((await echo(context, `/echo?n=${at}`)).query, `n=${at}`, 'query');
      const numbers = Array.from({ length: 50 }, (_, at) => at);
      const bodies = await Promise.all(
        numbers.map(async (at) => (await echo(context, '/echo', post(`body ${at}`))).body),
      );
      equal(
        bodies,
        numbers.map((at) => `body ${at}`),
        'bodies',
      );
    },
  },
] as const satisfies readonly TransportCase[];

function post(body: string): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'text/plain' }, body };
}

/** Returns a request with a body whose length the client does not announce. */
function streamed(chunks: readonly string[]): RequestInit {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks[at++];
      if (chunk === undefined) controller.close();
      else controller.enqueue(encodeUtf8(chunk));
    },
  });
  // Node's fetch requires `duplex`, which the platform's types do not have.
  const init: RequestInit & { readonly duplex: 'half' } = {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body,
    duplex: 'half',
  };
  return init;
}
