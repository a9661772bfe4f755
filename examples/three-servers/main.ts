/**
 * Three servers on one store behind a TCP balancer. One after another is ended at random, and started again.
 *
 * ```
 * npx tsx examples/three-servers/main.ts --storage=etcd --etcd-servers=http://127.0.0.1:2379
 * ```
 */
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { TcpBalancer } from './balancer.js';
import { Load } from './load.js';
import { ServerProcess, type End } from './server-process.js';

const SERVERS = 3;
/** Time between two checks of the balancer, in milliseconds. */
const CHECK_MS = 250;
/** Time for which an ending server still serves, so that the balancer learns of it. */
const SHUTDOWN_DELAY = '2s';

const { values, tokens } = parseArgs({
  options: {
    /** Seconds between two ends. */
    every: { type: 'string', default: '10' },
    /** Number of ends; default until a signal arrives. */
    kills: { type: 'string', default: 'Infinity' },
    /** Number of clients that write meanwhile. */
    clients: { type: 'string', default: '0' },
    /** Start of the random choices. */
    seed: { type: 'string', default: String(Date.now()) },
  },
  strict: false,
  tokens: true,
});
const own = ['every', 'kills', 'clients', 'seed'];
/** The other flags are those of `orch-apiserver serve`: they select the store. */
const storeFlags = tokens.flatMap((token) =>
  token.kind === 'option' && !own.includes(token.name) ? [`${token.rawName}=${token.value ?? true}`] : [],
);
if (storeFlags.length === 0)
  throw new Error('flags of a shared store are missing, such as --storage=etcd --etcd-servers=http://127.0.0.1:2379');

const directory = await mkdtemp(join(tmpdir(), 'three-servers-'));
const kubeconfigOf = (index: number): string => join(directory, `kubeconfig-${index}`);
const flagsOf = (index: number): string[] => [
  '--dialect=kubernetes',
  `--cert-dir=${join(directory, `pki-${index}`)}`,
  `--kubeconfig-out=${kubeconfigOf(index)}`,
  `--shutdown-delay-duration=${SHUTDOWN_DELAY}`,
  ...storeFlags,
];

/** Returns a random number below `limit`: a linear congruential generator, whose high bits are the good ones. */
let state = Number(values.seed) >>> 0;
const random = (limit: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};

let ca: string | undefined;
const isReady = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const sent = request(`${url}/readyz`, { ca, agent: false, timeout: 5000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(false));
    sent.end();
  });

const balancer = await TcpBalancer.start(isReady, Number(process.env['PORT'] ?? 0));
const servers: ServerProcess[] = [];

/** Starts a server. The first one makes the owner's kubeconfig; the others take its token from it. */
async function start(index: number): Promise<void> {
  if (index > 0) await copyFile(kubeconfigOf(0), kubeconfigOf(index));
  const server = await ServerProcess.start(flagsOf(index));
  servers[index] = server;
  // All have certificates of one authority, which is in the store.
  ca ??= await readFile(join(directory, 'pki-0', 'ca.crt'), 'utf8');
  balancer.add(server.url);
}

for (let index = 0; index < SERVERS; index += 1) await start(index);
await untilReady(SERVERS);

const written = await readFile(kubeconfigOf(0), 'utf8');
const address = `https://127.0.0.1:${balancer.port}`;
const kubeconfig = join(directory, 'kubeconfig');
await writeFile(kubeconfig, written.replaceAll(servers[0]?.url ?? '', address), { mode: 0o600 });
console.log(`serving at ${address}`);
console.log(`kubeconfig in ${kubeconfig}`);

const token = /token: "?([0-9a-f]+)/.exec(written)?.[1] ?? '';
const clients = Number(values.clients);
const load = clients === 0 ? undefined : new Load({ port: balancer.port, ca: ca ?? '', token, clients });

const stopped = new AbortController();
void Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))).then(() => stopped.abort());
const checking = (async () => {
  while (!stopped.signal.aborted) {
    await balancer.check();
    await pause(CHECK_MS);
  }
})();

const ENDS: readonly End[] = ['SIGKILL', 'SIGTERM'];
for (let kill = 0; kill < Number(values.kills) && !stopped.signal.aborted; kill += 1) {
  await pause(Number(values.every) * 1000, undefined, { signal: stopped.signal }).catch(() => undefined);
  if (stopped.signal.aborted) break;
  const index = random(SERVERS);
  const signal = ENDS[random(ENDS.length)] ?? 'SIGKILL';
  const server = servers[index];
  if (server === undefined) continue;
  console.log(`${signal} to ${server.url}`);
  await server.end(signal);
  balancer.remove(server.url);
  await start(index);
  await untilReady(SERVERS);
  await load?.progress(clients * 2);
}
if (values.kills === 'Infinity' && !stopped.signal.aborted) await once(stopped.signal, 'abort');

if (load !== undefined) console.log(`result ${JSON.stringify(await load.end())}`);
stopped.abort();
await checking;
await Promise.all(servers.map((server) => server.end('SIGTERM')));
await balancer.close();
await rm(directory, { recursive: true });

/** Waits until so many servers are ready. */
async function untilReady(count: number): Promise<void> {
  while ((await balancer.check()).length < count) await pause(CHECK_MS);
}
