import { expect, test } from 'vitest';
import type { Api } from '../../src/ui/web/data/api.js';
import type { RecordedRequest } from '../../src/ui/answers.js';
import { followRequests } from '../../src/ui/web/data/traffic.js';

const requestOf = (number: number): RecordedRequest => ({
  ...{ number, time: 0, ms: 1, code: 200, bytesIn: 0, bytesOut: 0 },
  ...{ user: '', verb: 'get', method: 'GET', path: '/', query: '', userAgent: '', auditId: '' },
});

/** Follows what a server answers to each opening: the list, and the lines of the stream, which ends. @returns the numbers seen */
async function seenOf(openings: readonly { readonly list: number[]; readonly lines: number[] }[]): Promise<number[]> {
  let opened = -1;
  const linesOf = (numbers: readonly number[]): string =>
    numbers.map((number) => `${JSON.stringify(requestOf(number))}\n`).join('');
  const api = {
    request: () => {
      opened += 1;
      const opening = openings[opened];
      if (opening === undefined) return Promise.reject(new Error('the server is gone'));
      return Promise.resolve(new Response(`\n${linesOf(opening.lines)}`));
    },
    read: () => Promise.resolve({ requests: (openings[opened]?.list ?? []).map(requestOf) }),
  };
  const seen: number[] = [];
  const query = { verb: '', user: '', code: '', path: '' };
  const following = followRequests(api as unknown as Api, query, new AbortController().signal, (requests) =>
    seen.push(...requests.map(({ number }) => number)),
  );
  await expect(following).rejects.toThrow('the server is gone');
  return seen;
}

test('the page goes on with another stream when the server ends one, and shows each request once', async () => {
  const openings = [
    { list: [1, 2], lines: [2, 3] },
    { list: [1, 2, 3, 4], lines: [4, 5] },
  ];
  expect(await seenOf(openings)).toEqual([1, 2, 3, 4, 5]);
});

test('the page shows the requests of a server that counts from 1 again', async () => {
  const openings = [
    { list: [7], lines: [8] },
    { list: [1], lines: [2] },
  ];
  expect(await seenOf(openings)).toEqual([7, 8, 1, 2]);
});
