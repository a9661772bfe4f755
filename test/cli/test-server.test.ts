import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../src/cli/run.js';
import type { JsonObject } from '../../src/foundation/json/json.js';
import { COMMAND } from '../conformance/kubectl/server.js';
import { http1Fetch } from '../transport/support/node-fetch.js';
import type { FakeHost } from './fake-host.js';
import { today, type OwnerConfig } from './serving.js';

/** The line that the program prints for other programs. */
interface Printed {
  readonly url: string;
  readonly token: string;
  readonly certificateAuthority: string;
  readonly control: string;
  readonly controlToken: string;
  readonly kubeconfig: string;
}

interface Program extends Printed {
  readonly host: FakeHost;
  readonly ended: Promise<number>;
}

let directory = '';
const running: Program[] = [];
const children: ChildProcess[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cli-test-server-'));
});
afterEach(async () => {
  for (const { host, ended } of running.splice(0)) {
    host.signal('SIGTERM');
    await ended;
  }
  children.splice(0).forEach((child) => child.kill('SIGKILL'));
  await rm(directory, { recursive: true });
});

/** Starts the program in this process. Rejects if it ends instead. */
async function start(...words: string[]): Promise<Program> {
  const host = today();
  const ended = run(['test-server', '--output=json', ...words], host);
  await Promise.race([
    host.logged('serving'),
    ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${host.err()}`))),
  ]);
  const program = { ...(JSON.parse(host.out()) as Printed), host, ended };
  running.push(program);
  return program;
}

/** Sends a request to the Kubernetes API. */
async function ask(
  { url, token, certificateAuthority }: Pick<Printed, 'url' | 'token' | 'certificateAuthority'>,
  path: string,
  body?: object,
): Promise<{ readonly code: number; readonly body: JsonObject }> {
  const send = http1Fetch({ ca: certificateAuthority });
  try {
    const answer = await send(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { code: answer.status, body: (await answer.json()) as JsonObject };
  } finally {
    send.close();
  }
}

/** Sends a command to the control API. */
async function command(
  { control, controlToken }: Pick<Printed, 'control' | 'controlToken'>,
  method: string,
  path: string,
  body?: string | object,
): Promise<{ readonly code: number; readonly body: JsonObject }> {
  const answer = await fetch(control + path, {
    method,
    headers: { authorization: `Bearer ${controlToken}`, connection: 'close' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { code: answer.status, body: (await answer.json()) as JsonObject };
}

const MAPS = '/api/v1/namespaces/default/configmaps';

/** Names of the config maps that tests made. */
async function names(program: Program): Promise<unknown> {
  const { items } = (await ask(program, MAPS)).body as unknown as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
}

describe('test-server', () => {
  it('serves the API over TLS with a random token, and describes itself in one line', async () => {
    const program = await start();
    expect(program.host.out().trimEnd().split('\n')).toHaveLength(1);
    expect((await ask(program, '/version')).body).toMatchObject({ minor: '31' });
    expect((await ask(program, '/apis/apps/v1/deployments')).code).toBe(200);
    expect((await ask({ ...program, token: 'wrong' }, MAPS)).code).toBe(401);
    const config = parse(program.kubeconfig) as OwnerConfig;
    expect([config.clusters[0]?.cluster.server, config.users[0]?.user.token]).toEqual([program.url, program.token]);
    const authority = await ask(program, `${MAPS}/kube-root-ca.crt`);
    expect(authority.body['data']).toEqual({ 'ca.crt': program.certificateAuthority });
    const other = await start();
    expect(new Set([program.token, program.controlToken, other.token, other.controlToken]).size).toBe(4);
  });

  it('ends with 0 on a signal, and releases its ports', async () => {
    const program = await start();
    const { host, url, control } = program;
    await command(program, 'GET', '/clock');
    host.signal('SIGTERM');
    expect(await program.ended).toBe(0);
    for (const closed of [url, control])
      await expect(fetch(closed, { headers: { connection: 'close' } })).rejects.toThrow('fetch failed');
  });

  it('ends with its parent if asked to', async () => {
    const program = await start('--exit-with-parent');
    program.host.endParent();
    expect(await program.ended).toBe(0);
    expect(await program.host.logged('ending')).toMatchObject({ signal: 'the end of the parent' });
    const independent = await start();
    independent.host.endParent();
    expect((await ask(independent, '/version')).code).toBe(200);
  });

  it('prints the kubeconfig, with the control API in a comment', async () => {
    const host = today();
    const ended = run(['test-server'], host);
    await host.logged('serving');
    const [, control = '', token = ''] = /^# Control API: (\S+), with the token (\S+)\n/.exec(host.out()) ?? [];
    expect(parse(host.out())).toMatchObject({ apiVersion: 'v1', kind: 'Config' });
    expect((await command({ control, controlToken: token }, 'GET', '/clock')).code).toBe(200);
    // A token in a log would be in the log of every CI run.
    expect(host.err()).not.toContain(token);
    host.signal('SIGINT');
    expect(await ended).toBe(0);
  });

  it('writes the kubeconfig to a file that only its owner reads, and prints the line', async () => {
    const path = join(directory, 'new', 'kubeconfig');
    const program = await start(`--kubeconfig=${path}`);
    expect(await readFile(path, 'utf8')).toBe(program.kubeconfig);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('runs with the time of the host, and is advanced by commands', async () => {
    const program = await start();
    const { clock } = program.host;
    const now = (): string => new Date(clock.now()).toISOString();
    expect((await command(program, 'GET', '/clock')).body).toEqual({ now: now(), time: 'real' });
    await clock.advance(5000);
    expect((await command(program, 'GET', '/clock')).body['now']).toBe(now());
    const { body } = await command(program, 'POST', '/clock/advance', { duration: '2h' });
    expect(body['now']).toBe(new Date(clock.now() + 2 * 3_600_000).toISOString());
  });

  it('stands still with manual time', async () => {
    const program = await start('--time=manual');
    expect((await command(program, 'GET', '/clock')).body).toEqual({ now: '2024-01-01T00:00:00.000Z', time: 'manual' });
    const { body } = await ask(program, MAPS, { metadata: { name: 'a' } });
    expect(body['metadata']).toMatchObject({ creationTimestamp: '2024-01-01T00:00:00Z' });
    const later = await start('--time=manual', '--start-time=2030-05-06T07:08:09Z');
    expect((await command(later, 'GET', '/clock')).body['now']).toBe('2030-05-06T07:08:09.000Z');
  });

  it('runs controllers and simulated nodes', async () => {
    const program = await start('--simulate-nodes=1', '--time=manual');
    const labels = { app: 'web' };
    await ask(program, '/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
      },
    });
    expect((await command(program, 'POST', '/settled')).code).toBe(200);
    expect((await ask(program, '/apis/apps/v1/namespaces/default/deployments/web')).body['status']).toMatchObject({
      availableReplicas: 2,
    });
  });

  it('has rules for simulated pods and nodes: what they become, log and use', async () => {
    const program = await start('--simulate-nodes=1', '--time=manual');
    const PODS = '/api/v1/namespaces/default/pods';
    const add = (of: Program, rule: object) => command(of, 'POST', '/simulation/rules', rule);
    const make = async (of: Program, name: string) => {
      const spec = { containers: [{ name: 'main', image: 'web:1' }] };
      await ask(of, PODS, { metadata: { name, labels: { app: name } }, spec });
      await command(of, 'POST', '/settled');
    };
    const stateOf = async (of: Program, name: string) => {
      const { status } = (await ask(of, `${PODS}/${name}`)).body as { status?: { containerStatuses?: object[] } };
      return status?.containerStatuses?.[0];
    };
    const rule = { pods: 'app=web', become: 'Failed', options: { exitCode: 3, reason: 'Broken' } };
    const failing = await add(program, rule);
    expect(failing).toMatchObject({ code: 201, body: { hits: 0, rule } });
    await add(program, { pods: { name: { pattern: '^w' } }, log: ['one', 'two'] });
    await add(program, { pods: {}, use: { cpu: '250m', memory: '64Mi' } });
    await make(program, 'web');
    expect(await stateOf(program, 'web')).toMatchObject({
      lastState: { terminated: { exitCode: 3, reason: 'Broken' } },
    });
    expect((await command(program, 'GET', '/simulation/rules')).body['items']).toMatchObject([{ hits: 1 }, {}, {}]);

    const send = http1Fetch({ ca: program.certificateAuthority });
    const headers = { authorization: `Bearer ${program.token}` };
    const log = await send(`${program.url}${PODS}/web/log?previous=true`, { headers });
    expect(await log.text()).toBe('one\ntwo\n');
    send.close();

    // A fork has the rules of its parent, and what is added to it concerns it alone.
    const fork = { ...program, ...(await command(program, 'POST', '/forks')).body } as Program;
    await add(fork, { pods: 'app=web', become: 'Running' });
    await command(fork, 'POST', '/clock/advance', { duration: '1m' });
    expect(await stateOf(fork, 'web')).toMatchObject({ ready: true });
    const metrics = await ask(fork, '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/web');
    expect(metrics.body['containers']).toEqual([{ name: 'main', usage: { cpu: '250m', memory: '64Mi' } }]);
    expect(await stateOf(program, 'web')).toMatchObject({ ready: false });

    await add(fork, { nodes: 'node-1', become: 'NotReady' });
    await command(fork, 'POST', '/settled');
    const { conditions } = (await ask(fork, '/api/v1/nodes/node-1')).body['status'] as { conditions: object[] };
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'False' }));
    await command(fork, 'POST', '/reset');
    expect((await command(fork, 'GET', '/simulation/rules')).body).toEqual({ items: [] });
    const node = (await ask(fork, '/api/v1/nodes/node-1')).body['status'] as { conditions: object[] };
    expect(node.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));

    // The pod starts again when the rule is gone.
    const removed = await command(program, 'DELETE', `/simulation/rules/${String(failing.body['id'])}`);
    expect(removed).toMatchObject({ code: 200, body: { hits: 1 } });
    await command(program, 'POST', '/settled');
    expect(await stateOf(program, 'web')).toMatchObject({ ready: true });
  });

  it.each<[object, string]>([
    [{ pods: {}, become: 'Crash' }, 'pods cannot become "Crash"'],
    [{ pods: {}, become: 'Failed', options: { exitCode: 0 } }, 'an exit code from 1 to 255'],
    [{ pods: { app: 'web' }, become: 'Failed' }, 'app'],
    [{ pods: 'app in', become: 'Failed' }, 'is not a label selector'],
    [{ pods: { name: { pattern: '(' } }, become: 'Failed' }, 'rule: name has an invalid pattern "("'],
    [{ pods: { name: { regex: 'a' } }, become: 'Failed' }, 'name must be a string, or a regular expression'],
    [{ become: 'Failed' }, 'it is about "pods" or about "nodes"'],
    [{ pods: {}, nodes: {}, become: 'Failed' }, 'it is about "pods" or about "nodes"'],
    [{ pods: {} }, 'exactly one of "become", "log" and "use"'],
    [{ pods: {}, log: '', use: {} }, 'exactly one of "become", "log" and "use"'],
    [{ pods: {}, log: [1] }, 'log'],
    [{ pods: {}, use: { cpu: 'much' } }, 'a quantity, such as 250m or 64Mi'],
    [{ pods: {}, log: '', options: {} }, 'the member "options" belongs to'],
    [{ nodes: {}, log: 'text' }, 'nodes can only "become" something'],
    [{ nodes: {}, become: 'Broken' }, 'Broken'],
    [{ pods: {}, becomes: 'Failed' }, 'did you mean'],
  ])('refuses the rule %j', async (rule, message) => {
    const program = await start('--simulate-nodes=1', '--time=manual');
    const answer = await command(program, 'POST', '/simulation/rules', rule);
    expect([answer.code, answer.body['message']]).toEqual([400, expect.stringContaining(message)]);
    expect((await command(program, 'GET', '/simulation/rules')).body).toEqual({ items: [] });
  });

  it('says that it has no simulated nodes', async () => {
    const answer = await command(await start(), 'POST', '/simulation/rules', { pods: {}, log: 'text' });
    expect(answer).toMatchObject({ code: 501, body: { message: 'this test server has no simulated nodes' } });
  });

  it('serves the kinds of --crds', async () => {
    const path = join(directory, 'widgets.yaml');
    await writeFile(
      path,
      JSON.stringify({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'widgets.example.com' },
        spec: {
          group: 'example.com',
          names: { plural: 'widgets', kind: 'Widget' },
          scope: 'Namespaced',
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      }),
    );
    const program = await start(`--crds=${path}`);
    expect((await ask(program, '/apis/example.com/v1/widgets')).code).toBe(200);
  });

  it('starts with the objects of --load, and goes back to them', async () => {
    const path = join(directory, 'maps.yaml');
    await writeFile(path, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: given\n');
    const program = await start(`--load=${path}`);
    await ask(program, MAPS, { metadata: { name: 'made' } });
    expect(await names(program)).toEqual(['given', 'made']);
    expect((await command(program, 'POST', '/reset')).code).toBe(200);
    expect(await names(program)).toEqual(['given']);
  });

  it('forks: each fork has its state, port and time', async () => {
    const program = await start('--time=manual');
    await ask(program, MAPS, { metadata: { name: 'shared' } });
    const fork = { ...program, ...(await command(program, 'POST', '/forks')).body } as Program;
    await ask(fork, MAPS, { metadata: { name: 'own' } });
    await command(fork, 'POST', '/clock/advance', { duration: '1h' });
    const second = { ...program, ...(await command(fork, 'POST', '/forks')).body } as Program;
    expect(await names(program)).toEqual(['shared']);
    expect(await names(fork)).toEqual(['own', 'shared']);
    expect((await command(program, 'GET', '/clock')).body['now']).toBe('2024-01-01T00:00:00.000Z');
    expect((await command(second, 'GET', '/clock')).body['now']).toBe('2024-01-01T01:00:00.000Z');
    expect((await command(fork, 'DELETE', '')).code).toBe(200);
    await expect(ask(fork, MAPS)).rejects.toThrow('ECONNREFUSED');
    expect(await names(second)).toEqual(['own', 'shared']);
    await command(second, 'POST', '/reset');
    expect(await names(second)).toEqual(['own', 'shared']);
  });

  it('forks and resets where time runs', async () => {
    const program = await start();
    const { clock } = program.host;
    const at = (ms: number): string => new Date(ms).toISOString();
    const now = async (of: Program): Promise<unknown> => (await command(of, 'GET', '/clock')).body['now'];
    const started = clock.now();
    await command(program, 'POST', '/clock/advance', { duration: '1h' });
    const fork = { ...program, ...(await command(program, 'POST', '/forks')).body } as Program;
    await command(fork, 'POST', '/clock/advance', { duration: '1h' });
    expect([await now(program), await now(fork)]).toEqual([at(started + 3_600_000), at(started + 7_200_000)]);
    await command(program, 'POST', '/reset');
    await command(fork, 'POST', '/reset');
    expect([await now(program), await now(fork)]).toEqual([at(started), at(started + 3_600_000)]);
  });

  it('loads manifests into one server', async () => {
    const program = await start();
    const fork = { ...program, ...(await command(program, 'POST', '/forks')).body } as Program;
    const map = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
    const loaded = await command(fork, 'POST', '/load', `${map('one')}---\n${map('two')}`);
    expect(loaded).toMatchObject({ code: 200, body: { items: [{ kind: 'ConfigMap' }, { kind: 'ConfigMap' }] } });
    expect([await names(program), await names(fork)]).toEqual([[], ['one', 'two']]);
    expect(await command(fork, 'POST', '/load', 'kind: ConfigMap')).toMatchObject({
      code: 400,
      body: { message: expect.stringContaining('apiVersion') },
    });
    // A text is never a path.
    await writeFile(join(directory, 'secret.yaml'), map('three'));
    expect((await command(fork, 'POST', '/load', join(directory, 'secret.yaml'))).code).toBe(400);
    expect(await names(fork)).toEqual(['one', 'two']);
  });

  it('applies fault rules to one server, counts them, and forgets them at a reset', async () => {
    const program = await start();
    const fork = { ...program, ...(await command(program, 'POST', '/forks')).body } as Program;
    const rule = { fault: 'fail', match: { verb: 'list', resource: 'configmaps' }, status: 503 };
    const added = await command(fork, 'POST', '/faults', rule);
    expect(added).toMatchObject({ code: 201, body: { hits: 0, rule } });
    expect([(await ask(program, MAPS)).code, (await ask(fork, MAPS)).code]).toEqual([200, 503]);
    expect((await command(fork, 'GET', '/faults')).body).toEqual({ items: [{ ...added.body, hits: 1 }] });
    expect((await command(fork, 'DELETE', `/faults/${String(added.body['id'])}`)).body).toMatchObject({ hits: 1 });
    expect((await ask(fork, MAPS)).code).toBe(200);
    await command(fork, 'POST', '/faults', rule);
    await command(fork, 'POST', '/reset');
    expect([(await ask(fork, MAPS)).code, (await command(fork, 'GET', '/faults')).body]).toEqual([200, { items: [] }]);
    expect(await command(fork, 'POST', '/faults', { fault: 'fails' })).toMatchObject({
      code: 400,
      body: { message: expect.stringContaining('did you mean "fail"?') },
    });
  });

  it('lists the requests to one server', async () => {
    const program = await start();
    const fork = { ...program, ...(await command(program, 'POST', '/forks')).body } as Program;
    await ask(fork, MAPS, { metadata: { name: 'one' } });
    await ask(fork, MAPS, { metadata: { name: 'one' } });
    const asked = async (of: Program, query: string): Promise<unknown> =>
      (await command(of, 'GET', `/requests?${query}`)).body['items'];
    expect(await asked(fork, 'verb=create&resource=configmaps&status=409')).toMatchObject([
      { verb: 'create', resource: 'configmaps', name: 'one', status: 409, body: { metadata: { name: 'one' } } },
    ]);
    expect(await asked(fork, 'name=one')).toHaveLength(2);
    expect(await asked(program, 'name=one')).toEqual([]);
    expect(await command(fork, 'GET', '/requests?verb=gets')).toMatchObject({
      code: 400,
      body: { message: expect.stringContaining('did you mean "get"?') },
    });
    expect((await command(fork, 'GET', '/requests?status=no')).code).toBe(400);
  });

  it('ends the watches of a fork that is deleted', async () => {
    const program = await start();
    const fork = { ...program, ...(await command(program, 'POST', '/forks')).body } as Program;
    const send = http1Fetch({ ca: fork.certificateAuthority });
    const watch = await send(`${fork.url}${MAPS}?watch=1`, { headers: { authorization: `Bearer ${fork.token}` } });
    await command(fork, 'DELETE', '');
    // The stream ends after the present object.
    expect((await watch.text()).trimEnd().split('\n')).toHaveLength(1);
    send.close();
  });

  it('says which flag is wrong', async () => {
    const fails = async (...words: string[]): Promise<string> => {
      const host = today();
      const code = await run(['test-server', ...words], host);
      return `${code} ${host.err()}`;
    };
    expect(await fails('--time=slow')).toContain('2 orch-apiserver: invalid argument "slow" for "--time" flag');
    expect(await fails('--port=0')).toContain('must be a number between 1 and 65535, or auto for any free port');
    expect(await fails('--start-time=tomorrow')).toContain('must be a time such as 2024-01-01T00:00:00Z');
    for (const flag of ['--crds', '--load'])
      expect(await fails(`${flag}=${directory}/absent`)).toContain(
        `2 orch-apiserver: ${flag}: no such file or directory`,
      );
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    try {
      for (const flag of ['--port', '--control-port'])
        expect(await fails(`${flag}=${port}`)).toContain(
          `1 orch-apiserver: ${flag}: port ${port} of 127.0.0.1 is already in use`,
        );
    } finally {
      taken.close();
    }
  });
});

describe('the process', () => {
  const words = [...COMMAND.slice(0, -1), 'test-server', '--output=json', '--exit-with-parent'];
  const firstLine = async (child: ChildProcess): Promise<string> => {
    if (child.stdout === null) throw new Error('no output');
    for await (const line of createInterface(child.stdout)) return line;
    throw new Error('the program ended without a line');
  };

  it('ends when the pipe at its stdin closes', { timeout: 300_000 }, async () => {
    const child = spawn(words[0] ?? '', words.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] });
    children.push(child);
    const { control } = JSON.parse(await firstLine(child)) as Printed;
    child.stdin?.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    await expect(fetch(control)).rejects.toThrow('fetch failed');
  });

  it('ends when its parent is killed, also without a pipe', { timeout: 300_000 }, async () => {
    // A parent that starts the program, prints its process id, and is then killed.
    const parent = spawn(
      process.execPath,
      [
        '--eval',
        `const child = require('node:child_process').spawn(${JSON.stringify(words[0])}, ${JSON.stringify(words.slice(1))}, { stdio: ['ignore', 'inherit', 'ignore'] });
         setInterval(() => {}, 1000);`,
      ],
      { stdio: ['ignore', 'pipe', 'ignore'], cwd: fileURLToPath(new URL('../..', import.meta.url)) },
    );
    children.push(parent);
    const closed = once(parent, 'close');
    const { control } = JSON.parse(await firstLine(parent)) as Printed;
    parent.kill('SIGKILL');
    // The pipe of stdout closes with the last process that holds it.
    await closed;
    await expect(fetch(control)).rejects.toThrow('fetch failed');
  });
});
