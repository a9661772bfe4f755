/**
 * A Lease that a process in Go, with the election of client-go, shares with a controller of ours. Both are candidates over
 * HTTPS, in real time, with the default times. Each rule of the records has a test in lease-of-client-go.test.ts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer } from '../../src/apiserver/api-server.js';
import { connect, type Client } from '../../src/entries/client.js';
import { createController } from '../../src/entries/controllers.js';
import { ConfigMap, Lease } from '../../src/entries/kinds.js';
import { listen, type Listener } from '../../src/transport/node/index.js';
import { outcomeOf, QUICKLY } from './program.js';

const COLD = 15 * 60_000;
const NAMESPACE = 'default';
const LEASE = 'shared';

describe('a Lease that a process in Go shares', () => {
  let folder: string;
  let missing: string | undefined;
  let server: ApiServer;
  let listener: Listener;
  let client: Client;
  /** Ends what a failed test has left. */
  const opened: (() => void)[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'examples-go-'));
    const { code, output } = await outcomeOf('go', ['build', QUICKLY, '-o', join(folder, 'leader'), './go/leader']);
    missing = code === undefined ? 'go is not installed' : code === 0 ? undefined : `cannot be built: ${output}`;
    server = new ApiServer({ dialect: 'kubernetes' });
    listener = await listen(server, { tls: 'generated' });
    await writeFile(join(folder, 'config'), listener.kubeConfig());
    client = await connect({ kubeconfig: listener.kubeConfig() });
    await client
      .resource(ConfigMap)
      .namespace(NAMESPACE)
      .create({ metadata: { name: 'work' } });
  }, COLD);
  afterAll(async () => {
    for (const end of opened) end();
    await client.close();
    await listener.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  /** A candidate in Go, and the lines that it prints. */
  function startGo(identity: string) {
    const child = spawn(join(folder, 'leader'), [NAMESPACE, LEASE, identity], {
      env: { ...process.env, KUBECONFIG: join(folder, 'config') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    opened.push(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface(child.stdout).on('line', (line) => lines.push(line));
    return {
      lines,
      prints: (line: string) => expect.poll(() => lines).toContain(line),
      end: async (signal: NodeJS.Signals) => {
        const ended = once(child, 'close');
        child.kill(signal);
        await ended;
      },
    };
  }

  /** A candidate of ours, whose controller runs once it leads. */
  function startOurs(identity: string) {
    const stop = new AbortController();
    let runs = 0;
    const controller = createController({ kind: ConfigMap, reconcile: async () => void (runs += 1) });
    const leaderElection = { lease: LEASE, namespace: NAMESPACE, identity };
    const running = controller.run({ client, signal: stop.signal, leaderElection });
    opened.push(() => stop.abort());
    return {
      leads: () => runs > 0,
      end: async () => {
        stop.abort();
        await running;
      },
    };
  }

  const record = async () => (await client.resource(Lease).namespace(NAMESPACE).get(LEASE)).spec;

  it('has one leader at a time, whoever stops or dies', { timeout: COLD }, async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    const first = startGo('go-1');
    await first.prints('leading');
    const ours = startOurs('ours');
    await expect.poll(async () => (await record())?.renewTime !== (await record())?.acquireTime).toBe(true);
    expect(ours.leads()).toBe(false);

    // Given back at its end, the lead passes without waiting for the Lease to run out.
    await first.end('SIGTERM');
    expect(first.lines).toContain('stopped');
    await expect.poll(ours.leads).toBe(true);
    expect(await record()).toMatchObject({ holderIdentity: 'ours', leaseTransitions: 1 });

    const second = startGo('go-2');
    await second.prints('leader: ours');
    expect(second.lines).not.toContain('leading');
    await ours.end();
    await second.prints('leading');
    expect(await record()).toMatchObject({ holderIdentity: 'go-2', leaseTransitions: 2 });

    // A killed leader gives nothing back: its Lease has to run out.
    const successor = startOurs('successor');
    await second.end('SIGKILL');
    expect(successor.leads()).toBe(false);
    await expect.poll(successor.leads).toBe(true);
    expect(await record()).toMatchObject({ holderIdentity: 'successor', leaseTransitions: 3 });
    await successor.end();
  });
});
