/** The real command-line tool against pods that the test itself answers for. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer, Pod, type ExecSession, type LogLine, type PodHandlers } from '../../../src/entries/index.js';
import { createServingCertificate, listen, type Listener } from '../../../src/transport/node/index.js';
import { Kubectl, toolMinor } from './kubectl.js';

const decoder = new TextDecoder();

/** Releases of the tool that run commands over WebSocket. */
const FIRST_WITH_WEB_SOCKETS = 31;

async function upperCase({ stdin, stdout }: ExecSession): Promise<number> {
  for await (const chunk of stdin ?? []) await stdout?.write(decoder.decode(chunk).toUpperCase());
  return 0;
}

const handlers: PodHandlers = {
  log(_pod, { container, follow, previous }) {
    if (previous) return 'the previous run\n';
    if (container === 'side') return 'the other container\n';
    const lines: LogLine[] = [1, 2, 3].map((n) => ({ time: Date.now() - (4 - n) * 3_600_000, text: `line ${n}` }));
    return follow ? followed(lines) : lines;
  },
  async exec(_pod, session) {
    const [program = '', ...rest] = session.command;
    if (program === 'upper') return upperCase(session);
    if (program === 'exit') return Number(rest[0]);
    await session.stdout?.write(`${session.container}: ${session.command.join(' ')}\n`);
    await session.stderr?.write('to the error output\n');
    return 0;
  },
};

async function* followed(lines: readonly LogLine[]) {
  yield* lines;
  yield 'the last line\n';
}

describe.skipIf(toolMinor === undefined)('pods that the owner answers for', () => {
  let directory: string;
  let server: ApiServer;
  let silent: ApiServer;
  let listeners: Listener[];
  let kubectl: Kubectl;
  let kubectlOfSilent: Kubectl;

  async function serve(served: ApiServer, name: string): Promise<Kubectl> {
    const { keyPem, certPem, caPem } = await createServingCertificate();
    const listener = await listen(served, { port: 0, tls: { key: keyPem, cert: certPem } });
    listeners.push(listener);
    const kubeconfig = join(directory, `${name}.json`);
    await writeFile(kubeconfig, served.kubeConfig({ server: listener.url, certificateAuthority: caPem }));
    return new Kubectl({ directory, kubeconfig });
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'orch-pods-'));
    listeners = [];
    server = new ApiServer({ dialect: 'kubernetes', handlers: { pods: handlers } });
    silent = new ApiServer({ dialect: 'kubernetes' });
    const spec = {
      nodeName: 'node1',
      containers: [
        { name: 'main', image: 'i' },
        { name: 'side', image: 'i' },
      ],
    };
    for (const one of [server, silent]) {
      const pods = one.client().resource(Pod).namespace('default');
      const pod = await pods.create({ metadata: { name: 'web' }, spec });
      // The tool forwards ports of running pods only.
      await pods.updateStatus({ ...pod, status: { phase: 'Running' } });
    }
    kubectl = await serve(server, 'server');
    kubectlOfSilent = await serve(silent, 'silent');
  }, 300_000);

  afterAll(async () => {
    for (const listener of listeners) await listener.close({ grace: 0 });
    for (const one of [server, silent]) await one?.close();
    await rm(directory, { recursive: true });
  }, 300_000);

  it('logs', async () => {
    expect(await kubectl.ok('logs web -c main')).toBe('line 1\nline 2\nline 3\n');
    expect(await kubectl.ok('logs web -c main --tail=1')).toBe('line 3\n');
    expect(await kubectl.ok('logs web -c main --since=150m')).toBe('line 2\nline 3\n');
    expect(await kubectl.ok('logs web -c main --limit-bytes=4')).toBe('line');
    expect(await kubectl.ok('logs web -c main --timestamps --tail=1')).toMatch(/^\d{4}-\d\d-\d\dT.*Z line 3\n$/);
    expect(await kubectl.ok('logs web -c side')).toBe('the other container\n');
    expect(await kubectl.ok('logs web -c main --previous')).toBe('the previous run\n');
    expect(await kubectl.ok('logs web -c main -f')).toBe('line 1\nline 2\nline 3\nthe last line\n');
    expect(await kubectl.ok('logs web --all-containers --prefix')).toContain('[pod/web/side] the other container');
    expect(await kubectl.fails('logs web -c other')).toContain('container other is not valid for pod web');
  });

  it.skipIf((toolMinor ?? 0) < FIRST_WITH_WEB_SOCKETS)('exec', async () => {
    const outcome = await kubectl.run('exec web -c main -- echo a b');
    expect(outcome).toEqual({ code: 0, stdout: 'main: echo a b\n', stderr: 'to the error output\n' });
    const input = `${'text '.repeat(30_000)}end`;
    expect(await kubectl.ok('exec -i web -c main -- upper', { input })).toBe(input.toUpperCase());
    const failed = await kubectl.run('exec web -c side -- exit 3');
    expect(failed.code).toBe(3);
    expect(failed.stderr).toContain('command terminated with exit code 3');
  });

  it('a server without handlers says so', async () => {
    const texts = await Promise.all(
      ['logs web -c main', 'exec web -c main -- ls', 'attach web -c main', 'port-forward web 8080:80'].map((words) =>
        kubectlOfSilent.fails(words),
      ),
    );
    expect(texts).toEqual([
      expect.stringContaining('pods/log is not supported by this server'),
      expect.stringContaining('pods/exec is not supported by this server'),
      expect.stringContaining('pods/attach is not supported by this server'),
      expect.stringContaining('pods/portforward is not supported by this server'),
    ]);
  });
});
