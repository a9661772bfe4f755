/** The frames of long objects: made in slices, once for all watches of a form, and equal to those of short objects. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiServer, ConfigMap } from '../../src/entries/index.js';
import { ResourceStore } from '../../src/registry/store/store.js';
import { UserTurns } from '../../src/server/limits/user-turns.js';
import { nextTurn } from '../../src/foundation/async/turn.js';
import { turnsDuring } from '../support/turns.js';
import { createManualClock } from '../../src/entries/testing.js';
import { ask, received, streamOf, textOf } from './ask.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const META = 'g=meta.k8s.io;v=v1';
/** Entries of a map whose text is longer than what is encoded at once. */
const MANY = 4_000;

let server: ApiServer;
beforeEach(async () => {
  server = new ApiServer({
    dialect: 'kubernetes',
    // The ages in Tables stay the same.
    clock: createManualClock(),
    authentication: {
      tokens: ['admin', 'other'].map((token) => ({ token, user: { username: token, groups: ['system:masters'] } })),
    },
  });
  // All versions have two digits at least.
  for (let index = 0; index < 10; index += 1) await maps('kube-system').create({ metadata: { name: `m-${index}` } });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});

const maps = (namespace = 'default') => server.client().resource(ConfigMap).namespace(namespace);
const data = (entries: number, value = 'ä "b"'): Record<string, string> =>
  Object.fromEntries(Array.from({ length: entries }, (_, index) => [`key-${index}`, `${value} ${index}`]));

interface Form {
  readonly accept: string;
  readonly query?: string;
}
const FORMS: Readonly<Record<string, Form>> = {
  JSON: { accept: 'application/json' },
  'metadata as JSON': { accept: `application/json;as=PartialObjectMetadata;${META}` },
  Tables: { accept: `application/json;as=Table;${META}` },
  'Tables without objects': { accept: `application/json;as=Table;${META}`, query: 'includeObject=None' },
  'Tables with whole objects': { accept: `application/json;as=Table;${META}`, query: 'includeObject=Object' },
  protobuf: { accept: PROTOBUF },
  'metadata as protobuf': { accept: `${PROTOBUF};as=PartialObjectMetadata;${META}` },
};

async function watch({ accept, query = '' }: Form, more = '', token = 'admin'): Promise<AsyncIterator<Uint8Array>> {
  return streamOf(await ask(server, 'GET', `${MAPS}?watch=1&${query}&${more}`, { headers: { accept }, token }));
}

async function frameOf(stream: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const next = await stream.next();
  if (next.done === true) throw new Error('the watch has ended');
  return next.value;
}

/** The type and the object of a frame; of protobuf, the bytes of its envelope as text. */
function parsed(frame: Uint8Array, { accept }: Form): { readonly type: string; readonly object: unknown } {
  if (!accept.startsWith(PROTOBUF))
    return JSON.parse(new TextDecoder().decode(frame)) as { type: string; object: object };
  const bytes = Buffer.from(frame);
  const typeLength = bytes[5] ?? 0;
  const object = bytes.subarray(bytes.indexOf('k8s\0', 0, 'latin1'));
  return { type: bytes.toString('latin1', 6, 6 + typeLength), object: object.toString('latin1') };
}

/** An object in a form, as a read returns it. */
async function read(name: string, { accept, query = '' }: Form): Promise<unknown> {
  const answer = await received(await ask(server, 'GET', `${MAPS}/${name}?${query}`, { headers: { accept } }));
  if (!accept.startsWith(PROTOBUF)) return JSON.parse(textOf(answer));
  const { body } = answer;
  const chunks = body instanceof Uint8Array ? [body] : typeof body === 'object' && 'chunks' in body ? body.chunks : [];
  return Buffer.concat(chunks).toString('latin1');
}

/** Replaces the version of an object in a form. In protobuf both have the same length, with the tag before them. */
function atVersion(object: unknown, from: string, to: string): unknown {
  const field = (version: string): string => `2${String.fromCharCode(version.length)}${version}`;
  if (typeof object === 'string') return object.replace(field(from), field(to));
  const stamped = (key: string, value: unknown): unknown => (key === 'resourceVersion' ? to : value);
  return JSON.parse(JSON.stringify(object, stamped));
}

const withoutColumns = (table: unknown): unknown => ({ ...(table as object), columnDefinitions: null });

describe.each(Object.entries(FORMS))('watches that get %s', (name, form) => {
  const isTable = name.startsWith('Tables');

  test('get a long object as a read returns it, whether it was there or is written later', async () => {
    await maps().create({ metadata: { name: 'a', annotations: { note: 'ä' } }, data: data(MANY) });
    const stream = await watch(form);
    expect(parsed(await frameOf(stream), form)).toEqual({ type: 'ADDED', object: await read('a', form) });
    await maps().patch('a', { data: { more: 'c' } });
    const written = await read('a', form);
    const modified = { type: 'MODIFIED', object: isTable ? withoutColumns(written) : written };
    expect(parsed(await frameOf(stream), form)).toEqual(modified);
    await stream.return?.();
  });

  test('get its former state when it stops matching, as that of a short object', async () => {
    const former = async (entries: number): Promise<unknown> => {
      const name = `m-${entries}`;
      const { metadata } = await maps().create({ metadata: { name, labels: { app: 'a' } }, data: data(entries) });
      const stream = await watch(form, `labelSelector=app%3Da&fieldSelector=metadata.name%3D${name}`);
      await frameOf(stream);
      const before = await read(name, form);
      const changed = await maps().patch(name, { metadata: { labels: { app: 'b' } } });
      const { type, object } = parsed(await frameOf(stream), form);
      await stream.return?.();
      // The revision is that of the change.
      const revised = atVersion(before, metadata.resourceVersion ?? '', changed.metadata.resourceVersion ?? '');
      expect(object).toEqual(isTable ? withoutColumns(revised) : revised);
      return type;
    };
    expect([await former(1), await former(MANY)]).toEqual(['DELETED', 'DELETED']);
  });
});

describe('a long object', () => {
  test('is decoded once for all watches of a form', async () => {
    const form = FORMS['protobuf'] as Form;
    const streams = await Promise.all(
      Array.from({ length: 20 }, (_, at) => watch(form, '', at % 2 ? 'admin' : 'other')),
    );
    const frames = streams.map(frameOf);
    const decoded = vi.spyOn(ResourceStore.prototype, 'peekSteps');
    await maps().create({ metadata: { name: 'a' }, data: data(MANY) });
    const [first, ...others] = await Promise.all(frames);
    for (const frame of others) expect(frame).toBe(first);
    expect(decoded).toHaveBeenCalledTimes(1);
    for (const stream of streams) await stream.return?.();
  });

  test('is made by another watch when the first one ends meanwhile', async () => {
    const form = FORMS['Tables with whole objects'] as Form;
    const abort = new AbortController();
    const target = `${MAPS}?watch=1&${form.query}`;
    const headers = { accept: form.accept };
    const ending = streamOf(await ask(server, 'GET', target, { headers, signal: abort.signal }));
    const staying = streamOf(await ask(server, 'GET', target, { headers, token: 'other' }));
    // Their first Tables have columns, and are not shared.
    const firsts = [frameOf(ending), frameOf(staying)];
    await maps().create({ metadata: { name: 'short' } });
    await Promise.all(firsts);
    const ended = ending.next().catch(() => undefined);
    const frame = frameOf(staying);
    await maps().create({ metadata: { name: 'a' }, data: data(10 * MANY) });
    await nextTurn();
    abort.abort();
    await ended;
    expect(parsed(await frame, form).object).toEqual(withoutColumns(await read('a', form)));
    await staying.return?.();
  });

  test.each(['Tables', 'protobuf'])('leaves turns to others while it is made (%s)', async (name) => {
    await maps().create({ metadata: { name: 'a' }, data: data(20 * MANY) });
    // The object that was written last is the only one that is kept decoded.
    await maps().create({ metadata: { name: 'b' }, data: data(20 * MANY) });
    const stream = await watch(FORMS[name] as Form, 'fieldSelector=metadata.name%3Da');
    expect(await turnsDuring(() => frameOf(stream))).toBeGreaterThan(20);
    await stream.return?.();
  });

  test('is encoded in slices for a read as protobuf', async () => {
    await maps().create({ metadata: { name: 'a' }, data: data(20 * MANY) });
    const asked = (accept: string) => ask(server, 'GET', `${MAPS}/a`, { headers: { accept } });
    expect(await turnsDuring(() => asked(PROTOBUF))).toBeGreaterThan(20);
  });
});

describe('the works of a user', () => {
  test('follow one another, and those of others do not wait for them', async () => {
    const turns = new UserTurns();
    const log: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      log.push(`begin ${name}`);
      await nextTurn();
      log.push(`end ${name}`);
    };
    const failing = turns.take('alice', () => Promise.reject(new Error('failed')));
    await Promise.all([
      expect(failing).rejects.toThrow('failed'),
      turns.take('alice', work('1')),
      turns.take('alice', work('2')),
      turns.take('bob', work('3')),
    ]);
    expect(log.filter((line) => !line.endsWith('3'))).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
    expect(log.indexOf('begin 3')).toBeLessThan(log.indexOf('end 1'));
  });
});
