/**
 * Lists of everything in any form do not end a process with a small heap, whether or not their clients read them.
 * `LIST_CLIENTS=64 LIST_HEAP_MB=512 npx vitest run test/server/list-streams` is the long form: every form with and without
 * compression, and lists that are read to their end.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TYPESCRIPT } from '../support/typescript.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { LIST_CLIENTS, LIST_HEAP_MB = '256' } = process.env;
const isLong = LIST_CLIENTS !== undefined;
const CLIENTS = Number(LIST_CLIENTS ?? 12);
/** Number of bytes of a list that a client reads before it leaves. */
const READ_BYTES = isLong ? Infinity : 2 * 1024 * 1024;
const MAPS = '/api/v1/namespaces/default/configmaps';
const META = 'g=meta.k8s.io;v=v1';
const TABLE = `application/json;as=Table;${META}`;
/** A watch without a version begins with all objects. */
const INITIAL_EVENTS = 'watch=1&timeoutSeconds=10';

let child: ChildProcess;
let url: string;
let exited = false;
beforeAll(async () => {
  child = fork('test/server/list-streams-process.ts', {
    cwd: root,
    execArgv: [...TYPESCRIPT, `--max-old-space-size=${LIST_HEAP_MB}`],
    env: { ...process.env, NODE_OPTIONS: '', TSX_TSCONFIG_PATH: 'tsconfig.node.json' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child.on('exit', () => (exited = true));
  if (child.stdout === null) throw new Error('the process has no output');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  ({ url } = JSON.parse(line.toString()) as { url: string });
}, 300_000);
afterAll(() => child.kill());

/** Requests a path, and returns the response before its body. */
async function request(
  path: string,
  token: string,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const sent = get(`${url}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers }, agent: false });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** Reads a body, up to a number of bytes. */
async function read(response: IncomingMessage, most: number): Promise<number> {
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length >= most) break;
    }
  } catch {
    // A list that takes longer than its deadline ends in the middle.
  }
  response.destroy();
  return length;
}

test.each([
  ['JSON', 'application/json', ''],
  ['indented JSON', 'application/json', 'pretty=1'],
  ['YAML', 'application/yaml', ''],
  ['indented Tables of whole objects', TABLE, 'pretty=1&includeObject=Object'],
  ['protobuf', 'application/vnd.kubernetes.protobuf', ''],
  ...(isLong
    ? [
        ['Tables', TABLE, ''],
        ['Tables in YAML', `application/yaml;as=Table;${META}`, ''],
        ['metadata', `application/json;as=PartialObjectMetadataList;${META}`, ''],
        ['a watch that begins with all objects', 'application/json', INITIAL_EVENTS],
      ]
    : []),
])('%s', { timeout: isLong ? 1_800_000 : 240_000 }, async (_form, accept, query) => {
  for (const encoding of isLong ? ['identity', 'gzip'] : [query === '' ? 'identity' : 'gzip']) {
    const headers = { accept, 'accept-encoding': encoding, 'user-agent': 'test/1' };
    const responses = await Promise.all(
      Array.from({ length: CLIENTS }, (_, index) => request(`${MAPS}?${query}`, `user-${index}`, headers)),
    );
    const served = responses.filter(({ statusCode }) => statusCode === 200);
    // There may be no memory for some of them, which they are told.
    expect(responses.every(({ statusCode }) => statusCode === 200 || statusCode === 429)).toBe(true);
    expect(served.length).toBeGreaterThan(0);
    // While nobody reads the lists, another user is served.
    const probe = await request(`${MAPS}/m-0`, 'prober', {});
    expect(probe.statusCode).toBe(200);
    await read(probe, Infinity);
    const lengths = await Promise.all(served.map((response) => read(response, READ_BYTES)));
    expect(Math.min(...lengths)).toBeGreaterThan(encoding === 'gzip' ? 10_000 : 100_000);
    for (const response of responses) response.destroy();
    expect(exited).toBe(false);
  }
});
