/** Whose kubeconfig it is that a server finds at its start, by what is at the URL in it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { belongsToRunningServer } from '../../src/cli/serve/kubeconfig-file.js';
import { createManualClock } from '../../src/entries/testing.js';
import { kubernetes } from '../../src/foundation/index.js';

const kubeconfigOf = (url: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'a', cluster: { server: url } }],
    users: [{ name: 'a', user: { token: 'of-the-owner' } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  });

let directory: string;
let other: Server;
const sockets = new Set<Socket>();
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-owner-'));
  other = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
});
afterEach(async () => {
  await closeOther();
  await rm(directory, { recursive: true });
});

async function closeOther(): Promise<void> {
  if (!other.listening) return;
  other.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await once(other, 'close');
}

/** Writes a kubeconfig with the address of the other program. */
async function found(): Promise<string> {
  const path = join(directory, 'kubeconfig');
  await writeFile(path, kubeconfigOf(`http://127.0.0.1:${(other.address() as AddressInfo).port}`));
  return path;
}

const statusOnly = (status: string): string => `HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`;

it.each([
  [statusOnly('429 Too Many Requests'), true],
  [statusOnly('503 Service Unavailable'), true],
  [statusOnly('401 Unauthorized'), false],
  [statusOnly('404 Not Found'), false],
  ['SSH-2.0-OpenSSH\r\n', false],
])('an answer: %j', async (answer, belongs) => {
  other.on('connection', (socket) => void socket.once('data', () => socket.end(answer)));
  const clock = createManualClock();
  expect(await belongsToRunningServer(await found(), kubernetes, { clock })).toBe(belongs);
  expect(clock.pending).toBe(0);
});

it('belongs to a server that accepts the connection, and is too busy or suspended to answer', async () => {
  const asked = once(other, 'connection').then(([socket]: Socket[]) => once(socket ?? other, 'data'));
  const clock = createManualClock();
  const answered = belongsToRunningServer(await found(), kubernetes, { clock });
  await asked;
  await clock.advance('2s');
  expect(await answered).toBe(true);
  expect(clock.pending).toBe(0);
});

it('belongs to nobody when nothing listens, and when it is none or not there', async () => {
  const path = await found();
  await closeOther();
  const clock = createManualClock();
  expect(await belongsToRunningServer(path, kubernetes, { clock })).toBe(false);
  await writeFile(path, 'old');
  expect(await belongsToRunningServer(path, kubernetes, { clock })).toBe(false);
  expect(await belongsToRunningServer(join(directory, 'none'), kubernetes, { clock })).toBe(false);
  expect(await belongsToRunningServer('', kubernetes, { clock })).toBe(false);
});
