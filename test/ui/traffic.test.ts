import { expect, test } from 'vitest';
import type { Api } from '../../src/ui/web/data/api.js';
import type { RecordedRequest } from '../../src/ui/answers.js';
import { checksIn, samplesIn, sumOf, sumsBy } from '../../src/ui/web/data/metrics.js';
import { curlOf, FollowedRequests, kubectlOf } from '../../src/ui/web/data/traffic.js';

const requestOf = (number: number): RecordedRequest => ({
  ...{ number, time: 0, ms: 1, code: 200, bytesIn: 0, bytesOut: 0 },
  ...{ user: '', verb: 'get', method: 'GET', path: '/', query: '', userAgent: '', auditId: '', level: '' },
});

/** Follows what a server answers to each opening: the list, and the lines of the stream, which ends. @returns the numbers seen */
async function seenOf(
  openings: readonly { readonly list: number[]; readonly lines: number[] }[],
): Promise<(number | 'new')[]> {
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
  const seen: (number | 'new')[] = [];
  const query = { verb: '', user: '', code: '', path: '' };
  const followed = new FollowedRequests(api as unknown as Api, query, (requests, isNew) => {
    // Those of another server replace the ones of before.
    if (isNew) seen.push('new');
    seen.push(...requests.map(({ number }) => number));
  });
  let worked = 0;
  const follow = () => followed.follow(new AbortController().signal, () => (worked += 1));
  while (worked < openings.length) expect(await follow()).toBe('ended');
  await expect(follow()).rejects.toThrow('the server is gone');
  expect(worked).toBe(openings.length);
  return seen;
}

test('the page goes on with another stream when the server ends one, and shows each request once', async () => {
  const openings = [
    { list: [1, 2], lines: [2, 3] },
    { list: [1, 2, 3, 4], lines: [4, 5] },
  ];
  expect(await seenOf(openings)).toEqual(['new', 1, 2, 3, 4, 5]);
});

test('the page shows the requests of a server that counts from 1 again', async () => {
  const openings = [
    { list: [7], lines: [8] },
    { list: [1], lines: [2] },
  ];
  expect(await seenOf(openings)).toEqual(['new', 7, 8, 'new', 1, 2]);
});

test('a request is a command of curl and of kubectl, whatever its path has in it', () => {
  const request = { ...requestOf(1), method: 'GET', path: "/api/v1/a'; rm -rf ~; '", query: 'limit=5' };
  const root = new URL('https://h:1/k8s/');
  expect(kubectlOf(request)).toBe(`kubectl get --raw '/api/v1/a'\\''; rm -rf ~; '\\''?limit=5'`);
  expect(curlOf(request, root)).toBe(
    `curl -H "Authorization: Bearer $TOKEN" 'https://h:1/k8s/api/v1/a'\\'';%20rm%20-rf%20~;%20'\\''?limit=5'`,
  );
  expect(kubectlOf({ ...request, path: '/a', method: 'POST', query: '' })).toBe("kubectl create -f - --raw '/a'");
  for (const not of [{ method: 'PATCH' }, { query: 'token=REDACTED' }])
    expect(kubectlOf({ ...request, ...not })).toBeUndefined();
});

test('metrics are read as their format says', () => {
  const samples = samplesIn(
    [
      '# HELP apiserver_storage_objects Objects',
      'apiserver_storage_objects{resource="a"} 2',
      'apiserver_storage_objects{resource="q\\"uote} x\\\\"} 1.5e1',
      'apiserver_longrunning_requests{verb="WATCH",group=""} 3',
      'apiserver_longrunning_requests{verb="WATCH",group="apps"} 4',
      'apiserver_longrunning_requests{verb="CONNECT",group=""} 1',
      'other_metric{verb="WATCH"} 9',
    ].join('\n'),
  );
  expect(sumsBy(samples, 'apiserver_storage_objects', 'resource')).toEqual([
    ['q"uote} x\\', 15],
    ['a', 2],
  ]);
  expect(sumOf(samples, 'apiserver_longrunning_requests', ['verb', 'WATCH'])).toBe(7);
  expect(sumOf(samples, 'apiserver_longrunning_requests')).toBe(8);
  expect(sumOf(samples, 'other_metric')).toBe(0);
  expect(checksIn('[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n')).toEqual([
    { name: 'ping', ok: true },
    { name: 'etcd', ok: false },
  ]);
});
