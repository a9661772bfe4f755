import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectKubeConfig } from '../../../src/client/client-node/client-node.js';
import { ApiServer } from '../../../src/entries/index.js';
import { ServiceAccount } from '../../../src/kinds/builtin/index.js';
import { record, replay, type RecordOptions, type Recording, type Replay } from '../../../src/testing/record/index.js';
import { createServingCertificate, listen } from '../../../src/transport/node/index.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
type Target = Pick<Recording | Replay, 'fetch'>;

let directory = '';
let files = 0;
beforeAll(async () => (directory = await mkdtemp(join(tmpdir(), 'record-'))));
afterAll(() => rm(directory, { recursive: true }));
const newFile = (): string => join(directory, `${(files += 1)}.json`);

interface Answer {
  readonly status: number;
  readonly body: Record<string, any>;
}
async function call(
  target: Target,
  method: string,
  path: string,
  body?: object,
  type = 'application/json',
): Promise<Answer> {
  const response = await target.fetch(`http://any${path}`, {
    method,
    headers: { 'content-type': type, authorization: 'Bearer client-secret' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, any> };
}
const get = (target: Target, path: string) => call(target, 'GET', path);
const map = (name: string, data: object = {}) => ({ metadata: { name }, data });

/** Reads events of a watch until there are enough. */
async function events(target: Target, path: string, count: number, between: () => Promise<unknown>): Promise<string[]> {
  const abort = new AbortController();
  const response = await target.fetch(`http://any${path}`, { signal: abort.signal });
  const reading = between();
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.split('\n').length > count) break;
  }
  abort.abort();
  await reading;
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const { type, object } = JSON.parse(line) as { type: string; object: { metadata: { name: string } } };
      return `${type} ${object.metadata.name}`;
    });
}

/** Runs a program against a server of ours, recorded, and then without it. */
async function twice<Result>(
  program: (target: Recording | Replay) => Promise<Result>,
  options: Partial<RecordOptions> = {},
): Promise<{ recorded: Result; replayed: Result; file: string; text: string }> {
  const file = newFile();
  const server = new ApiServer({ dialect: 'kubernetes' });
  // A controller makes it; a program that needs it must not overtake the controller.
  const accounts = server.client().resource(ServiceAccount).namespace('default');
  await expect.poll(() => accounts.list().then(({ items }) => items.length)).toBe(1);
  const recording = await record({ server, file, ...options });
  const recorded = await program(recording);
  await recording.close();
  await server.close();
  const player = await replay(file);
  const replayed = await program(player);
  player.verify();
  await player.close();
  return { recorded, replayed, file, text: await readFile(file, 'utf8') };
}

describe('a recording', () => {
  test('of a server over HTTPS, by its kubeconfig, is replayed without it', async () => {
    const { keyPem: key, certPem: cert, caPem } = await createServingCertificate();
    const server = new ApiServer({ dialect: 'kubernetes' });
    const listener = await listen(server, { port: 0, tls: { key, cert } });
    const kubeConfig = server.kubeConfig({ server: listener.url, certificateAuthority: caPem });
    const config = join(directory, 'config');
    await writeFile(config, kubeConfig);
    const program = async (target: Recording | Replay) => {
      const created = await call(target, 'POST', MAPS, map('a', { x: '1' }));
      const watched = await events(
        target,
        `${MAPS}?watch=true&resourceVersion=${created.body['metadata'].resourceVersion}`,
        2,
        async () => {
          await call(target, 'PATCH', `${MAPS}/a`, { data: { x: '2' } }, 'application/merge-patch+json');
          await call(target, 'DELETE', `${MAPS}/a`);
        },
      );
      return { created, watched, after: await get(target, `${MAPS}/a`) };
    };
    const file = newFile();
    const recording = await record({ kubeConfig: config, file });
    const recorded = await program(recording);
    expect(recording.size).toBe(5);
    await recording.close();
    await listener.close();
    await server.close();
    expect(recorded).toMatchObject({
      created: { status: 201 },
      watched: ['MODIFIED a', 'DELETED a'],
      after: { status: 404 },
    });

    await using player = await replay(file);
    expect(await program(player)).toEqual(recorded);
    player.verify();
    const text = await readFile(file, 'utf8');
    const token = /token: "?([^"\n]+)/.exec(kubeConfig)?.[1] ?? '';
    expect(token.length).toBeGreaterThan(10);
    for (const secret of [token, 'client-secret', listener.url]) expect(text).not.toContain(secret);
  });

  test('serves client-node, with its watches', async () => {
    const program = async (target: Recording | Replay) => {
      const kubeConfig = connectKubeConfig(new KubeConfig(), target);
      const core = kubeConfig.makeApiClient(CoreV1Api);
      const seen: string[] = [];
      const { metadata } = await core.listNamespacedConfigMap({ namespace: 'default' });
      let arrived: () => void = () => undefined;
      const both = new Promise<void>((resolve) => (arrived = resolve));
      const stop = await new Watch(kubeConfig).watch(
        MAPS,
        { resourceVersion: metadata?.resourceVersion },
        (type, object) => {
          seen.push(`${type} ${object.metadata.name}`);
          if (seen.length === 2) arrived();
        },
        () => undefined,
      );
      for (const name of ['a', 'b'])
        await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name } } });
      await both;
      stop.abort();
      return seen;
    };
    const { recorded, replayed } = await twice(program);
    expect(recorded).toEqual(['ADDED a', 'ADDED b']);
    expect(replayed).toEqual(recorded);
  });

  test('has neither the values of secrets nor tokens, in any form of a request', async () => {
    const last = { 'kubectl.kubernetes.io/last-applied-configuration': '{"stringData":{"a":"hidden-1"}}' };
    const program = async (target: Target) => [
      await call(target, 'POST', SECRETS, {
        metadata: { name: 's', annotations: last },
        stringData: { a: 'hidden-2' },
      }),
      await call(target, 'PATCH', `${SECRETS}/s`, { data: { a: btoa('hidden-3') } }, 'application/merge-patch+json'),
      await call(
        target,
        'PATCH',
        `${SECRETS}/s`,
        [{ op: 'add', path: '/data/b', value: btoa('hidden-3') }],
        'application/json-patch+json',
      ),
      await call(
        target,
        'PATCH',
        `${SECRETS}/s?fieldManager=m&force=true`,
        { apiVersion: 'v1', kind: 'Secret', stringData: { a: 'hidden-4' } },
        'application/apply-patch+yaml',
      ),
      await call(target, 'POST', SECRETS, { metadata: { name: 7 }, stringData: { a: 'hidden-5' } }),
      await call(target, 'POST', SECRETS, { metadata: { name: 't' }, data: { a: 'hidden-8!' } }),
      (
        await target.fetch(`http://any${SECRETS}`, {
          method: 'POST',
          body: 'not json: hidden-6: [',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
      await get(target, SECRETS),
      await call(target, 'POST', '/api/v1/namespaces/default/serviceaccounts/default/token', { spec: {} }),
      await call(target, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'hidden-7' } }),
      await events(target, `${SECRETS}?watch=true`, 1, async () => undefined),
    ];
    const { recorded, replayed, text } = await twice(program);
    const issued = (recorded[8] as Answer).body['status'].token as string;
    expect(issued.split('.')).toHaveLength(3);
    for (let n = 1; n <= 8; n += 1) {
      expect(text).not.toContain(`hidden-${n}`);
      expect(text).not.toContain(btoa(`hidden-${n}`));
    }
    expect(text).not.toContain(issued);
    expect((replayed[7] as Answer).body['items'][0].data).toEqual({ a: btoa('REDACTED'), b: btoa('REDACTED') });
    expect((replayed[8] as Answer).body['status'].token).toBe('REDACTED');
    expect((recorded as Answer[]).map(({ status }) => status)).toEqual(
      (replayed as Answer[]).map(({ status }) => status),
    );
  });

  test('leaves out what the option redact removes', async () => {
    const program = (target: Target) => call(target, 'POST', MAPS, map('a', { password: 'hidden' }));
    const hide = (text: string) => text.replaceAll('hidden', 'xxxxxx');
    const file = newFile();
    await using server = new ApiServer({ dialect: 'kubernetes' });
    const recording = await record({ server, file, redact: (body) => JSON.parse(hide(JSON.stringify(body))) });
    await program(recording);
    await recording.close();
    expect(await readFile(file, 'utf8')).not.toContain('hidden');
  });

  test('is served to programs over HTTP, by a kubeconfig, and so is its replay', async () => {
    const program = async (target: Recording | Replay) => {
      await using listener = await listen(target, { port: 0 });
      const kubeConfig = new KubeConfig();
      kubeConfig.loadFromString(target.kubeConfig({ server: listener.url }));
      const core = kubeConfig.makeApiClient(CoreV1Api);
      await core.createNamespace({ body: { metadata: { name: 'team' } } });
      return (await core.listNamespace()).items.map(({ metadata }) => metadata?.name);
    };
    const { recorded, replayed } = await twice(program);
    expect(recorded).toContain('team');
    expect(replayed).toEqual(recorded);
  });

  test('of the representations of objects tells them apart', async () => {
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const kinds = async (target: Target) => {
      const response = await target.fetch(`http://any${MAPS}`, { headers: { accept: table } });
      const protobuf = { accept: 'application/vnd.kubernetes.protobuf, application/json' };
      const other = await target.fetch(`http://any${MAPS}`, { headers: protobuf });
      return [((await response.json()) as any).kind, ((await other.json()) as any).kind];
    };
    const { recorded, replayed } = await twice(kinds);
    expect(recorded).toEqual(['Table', 'ConfigMapList']);
    expect(replayed).toEqual(recorded);
  });

  test('refuses what it cannot record', async () => {
    const file = newFile();
    await using server = new ApiServer();
    const recording = await record({ server, file, maxBytes: 1000 });
    const refused = async (path: string, init: RequestInit = {}) => {
      const response = await recording.fetch(`http://any${path}`, init);
      return [response.status, ((await response.json()) as Answer['body'])['message']];
    };
    expect(await refused('/api/v1/namespaces/a/pods/b/exec')).toEqual([501, expect.stringContaining('connections')]);
    const protobuf = 'application/vnd.kubernetes.protobuf';
    expect(await refused(MAPS, { headers: { accept: protobuf } })).toEqual([
      501,
      expect.stringContaining('let it accept JSON'),
    ]);
    expect(await refused(MAPS, { method: 'POST', body: 'k8s', headers: { 'content-type': protobuf } })).toEqual([
      501,
      expect.stringContaining('let the client send JSON'),
    ]);
    await get(recording, '/api');
    await get(recording, '/api/v1');
    expect(await refused(MAPS)).toEqual([500, expect.stringContaining('the option maxBytes, 1000 bytes')]);
    await recording.close();
    expect(await refused(MAPS)).toEqual([500, expect.stringContaining('the recording is closed')]);
  });

  test('tells when the server does not answer', async () => {
    const kubeConfig = new ApiServer({ dialect: 'kubernetes' }).kubeConfig({ server: 'http://127.0.0.1:1' });
    const recording = await record({ kubeConfig, file: newFile() });
    expect(await get(recording, MAPS)).toMatchObject({
      status: 502,
      body: { message: expect.stringContaining('ECONNREFUSED') },
    });
    await recording.close();
  });

  test('refuses mistakes', async () => {
    const server = new ApiServer();
    const file = newFile();
    await expect(record({ file })).rejects.toThrow('set either the option kubeConfig or the option server');
    await expect(record({ server } as never)).rejects.toThrow('the option file is required');
    await expect(record({ file, kubeConfig: 'no-such-file' })).rejects.toThrow('no-such-file');
    await expect(record({ file, server: {} as never })).rejects.toThrow('the option server must be a server');
    await expect(record({ file, kubeConfig: 'x', token: 'y' })).rejects.toThrow('its own credentials');
    const nowhere = await record({ server, file: join(directory, 'none/x.json') });
    await expect(nowhere.close()).rejects.toThrow(/none\/x\.json: .*ENOENT/);
    await expect(replay('no-such-file')).rejects.toThrow('no-such-file');
    await writeFile(file, '{}');
    await expect(replay(file)).rejects.toThrow(`${file}: this is not a recording`);
    await writeFile(file, '{"format":"orch-apiserver recording","version":9}');
    await expect(replay(file)).rejects.toThrow('a recording of version 9');
    await writeFile(file, '{"format":"orch-apiserver recording","version":1,"exchanges":[{}]}');
    await expect(replay(file)).rejects.toThrow('exchange 1 is incomplete');
    await server.close();
  });
});

describe('a replay', () => {
  async function recorded(program: (target: Target) => Promise<unknown>): Promise<string> {
    const file = newFile();
    await using server = new ApiServer({ dialect: 'kubernetes' });
    const recording = await record({ server, file });
    await program(recording);
    await recording.close();
    return file;
  }
  const message = ({ status, body }: Answer) => `${status} ${String(body['message'])}`;

  test('answers a read as it was after the writes so far', async () => {
    const file = await recorded(async (target) => {
      await get(target, `${MAPS}/a`);
      await call(target, 'POST', MAPS, map('a'));
      await get(target, `${MAPS}/a`);
      await get(target, `${MAPS}/b`);
    });
    const player = await replay(file);
    expect([(await get(player, `${MAPS}/a`)).status, (await get(player, `${MAPS}/a`)).status]).toEqual([404, 404]);
    expect(message(await get(player, `${MAPS}/b`))).toContain(
      `recorded only after POST ${MAPS}, which was not made yet`,
    );
    await call(player, 'POST', MAPS, map('a'));
    expect([(await get(player, `${MAPS}/a`)).status, (await get(player, `${MAPS}/a`)).status]).toEqual([200, 200]);
    await expect(player.close()).rejects.toThrow(`GET ${MAPS}/b: recorded only after`);
  });

  test('refuses writes in another order, with another body, or that are not recorded', async () => {
    const file = await recorded(async (target) => {
      await call(target, 'POST', MAPS, map('a', { x: '1' }));
      await call(target, 'DELETE', `${MAPS}/a`);
    });
    const player = await replay(file);
    expect(message(await call(player, 'DELETE', `${MAPS}/a`))).toContain(
      `this write is recorded later; the next is POST ${MAPS}`,
    );
    expect(message(await call(player, 'DELETE', `${MAPS}/b`))).toContain(
      `no such write here; the next is POST ${MAPS}`,
    );
    expect(message(await call(player, 'POST', MAPS, map('a', { x: '2' })))).toContain('data.x was "1", is "2"');
    expect(message(await get(player, '/api'))).toContain('the recording has no such request');
    expect((await call(player, 'POST', MAPS, map('a', { x: '1' }))).status).toBe(201);
    expect(player.missing).toEqual([`DELETE ${MAPS}/a`]);
    expect(() => player.verify()).toThrow('recorded, but not made');
    expect(player.unmatched).toHaveLength(4);
    await call(player, 'DELETE', `${MAPS}/a`);
    expect(message(await call(player, 'DELETE', `${MAPS}/a`))).toContain('no further write');
  });

  test('lets writes that overlapped come in any order', async () => {
    const names = ['a', 'b', 'c'];
    const file = await recorded(async (target) => {
      await Promise.all(names.map((name) => call(target, 'POST', MAPS, map(name))));
      await call(target, 'DELETE', `${MAPS}/a`);
    });
    await using player = await replay(file);
    for (const name of names.toReversed()) {
      expect((await call(player, 'POST', MAPS, map(name))).body['metadata'].name).toBe(name);
    }
    expect((await call(player, 'DELETE', `${MAPS}/a`)).status).toBe(200);
    player.verify();
  });

  test('does not compare ignored paths', async () => {
    const file = await recorded((target) => call(target, 'POST', MAPS, map('a', { at: '10:00', x: '1' })));
    await using player = await replay(file, { ignore: ['data.at'] });
    expect((await call(player, 'POST', MAPS, map('a', { at: '11:00', x: '1' }))).status).toBe(201);
  });

  test('holds the events of a watch until the writes that precede them', async () => {
    /** Waits for the event of each write before the next one. */
    const program = async (target: Target, watch: string): Promise<string[]> => {
      const abort = new AbortController();
      const response = await target.fetch(`http://any${watch}`, { signal: abort.signal });
      const reader = response.body?.getReader();
      const order: string[] = [];
      const event = async (): Promise<void> => {
        const { object } = JSON.parse(new TextDecoder().decode((await reader?.read())?.value));
        order.push(`event ${object.metadata.name}`);
      };
      for (const name of ['a', 'b']) {
        const arriving = event();
        // An event that does not wait would arrive meanwhile.
        for (let turn = 0; turn < 5; turn += 1) await get(target, MAPS);
        order.push(`create ${name}`);
        await call(target, 'POST', MAPS, map(name));
        await arriving;
      }
      abort.abort();
      return order;
    };
    const watch = `${MAPS}?watch=true&resourceVersion=1`;
    const file = await recorded((target) => program(target, watch));
    await using player = await replay(file);
    // The timeout is drawn by informers at random.
    expect(await program(player, `${watch}&timeoutSeconds=77`)).toEqual(['create a', 'event a', 'create b', 'event b']);
  });
});
