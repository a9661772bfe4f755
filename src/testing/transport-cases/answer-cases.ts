import { decodeUtf8Lossy, utf8Length } from '../../foundation/index.js';
import { check, equal } from '../assert.js';
import type { TransportCase } from './transport-case.js';

/** Cases on responses: status, headers, and bodies of known length. */
export const answerCases = [
  {
    name: 'statuses arrive unchanged',
    async run({ base, fetch }) {
      for (const status of [200, 201, 202, 400, 401, 403, 404, 405, 409, 410, 415, 422, 429, 500, 503, 504]) {
        const answer = await fetch(`${base}/status/${status}`);
        equal([answer.status, answer.headers.get('x-status'), await answer.text()], [status, 'yes', ''], 'answer');
      }
    },
  },
  {
    name: 'responses with 204 and 304 have no body',
    async run({ base, fetch }) {
      for (const status of [204, 304]) {
        const answer = await fetch(`${base}/content-with-status?status=${status}`);
        equal([answer.status, answer.headers.get('content-length'), await answer.text()], [status, null, ''], 'answer');
      }
    },
  },
  {
    name: 'HEAD has the headers and no body',
    async run({ base, fetch }) {
      const text = await fetch(`${base}/text`, { method: 'HEAD' });
      equal([text.status, text.headers.get('content-length'), await text.text()], [200, '9', ''], 'a text');
      const stream = await fetch(`${base}/never?id=head`, { method: 'HEAD' });
      equal([stream.status, await stream.text()], [200, ''], 'a stream that would not end');
      equal((await fetch(`${base}/text`)).status, 200, 'the next request');
    },
  },
  {
    name: 'a header with several values is sent as several fields',
    async run({ base, fetch }) {
      const answer = await fetch(`${base}/headers`);
      equal(answer.headers.get('x-multi'), 'one, two', 'x-multi');
    },
  },
  {
    name: 'header values with non-ASCII characters or line breaks do not break the response',
    async run({ base, fetch }) {
      const answer = await fetch(`${base}/headers`);
      equal(await answer.text(), 'headers', 'body');
      equal(answer.headers.get('x-broken'), 'a b', 'x-broken');
      // Clients return a value as one character per byte.
      const bytes = Uint8Array.from(answer.headers.get('warning') ?? '', (character) => character.charCodeAt(0));
      equal(decodeUtf8Lossy(bytes), '299 - "grün"', 'warning, as UTF-8');
    },
  },
  {
    name: 'texts and bytes arrive with their length',
    async run({ base, fetch }) {
      const text = await fetch(`${base}/text`);
      equal([text.headers.get('content-length'), await text.text()], ['9', 'grün ✓'], 'text');
      const bytes = await fetch(`${base}/bytes`);
      equal(
        [bytes.headers.get('content-length'), ...new Uint8Array(await bytes.arrayBuffer())],
        ['4', 0, 1, 254, 255],
        'bytes',
      );
    },
  },
  {
    name: 'a large list in parts arrives completely',
    async run({ base, fetch }) {
      for (const [count, size] of [
        [0, 10],
        [1, 10],
        [3, 300_000],
        [5000, 1024],
      ] as const) {
        for (const ascii of [true, false]) {
          const answer = await fetch(`${base}/large?count=${count}&size=${size}&ascii=${ascii}`);
          const expected = Array.from({ length: count }, (_, at) => `${at}:`.padEnd(size, ascii ? 'x' : 'ü')).join('');
          equal(answer.headers.get('content-length'), String(utf8Length(expected)), 'content-length');
          check((await answer.text()) === expected, `${count} parts of ${size} arrived completely`);
        }
      }
    },
  },
  {
    name: 'a body of bytes in chunks arrives completely, and again',
    async run({ base, fetch }) {
      for (const [count, size] of [
        [0, 10],
        [3, 10],
        [40, 256 * 1024],
        [40, 256 * 1024],
      ] as const) {
        const answer = await fetch(`${base}/chunks?count=${count}&size=${size}`);
        const expected = Array.from({ length: count }, (_, at) => `${at}:`.padEnd(size, 'x')).join('');
        equal(answer.headers.get('content-length'), String(expected.length), 'content-length');
        check((await answer.text()) === expected, `${count} chunks of ${size} arrived completely`);
      }
    },
  },
] as const satisfies readonly TransportCase[];
