/** The kinds of another server in the OpenAPI document of version 2. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { APIService } from '../../../src/entries/kinds.js';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import type { OutboundRequest, OutboundResponse } from '../../../src/foundation/index.js';
import { listen, nodeHttpClient } from '../../../src/transport/node/index.js';
import { Kubectl, toolMinor } from '../../conformance/kubectl/kubectl.js';
import { ask, jsonOf, received } from '../ask.js';
import { PATIENCE } from '../../support/patience.js';
import { API_SERVICE, FERRIES, GROUP, VERSION_PATH, World } from './world.js';

const FERRY = 'com.example.ships.v1.Ferry';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const DELETE_OPTIONS = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';
const MINUTE = 60_000;
const PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

interface Definition {
  readonly properties?: Readonly<Record<string, { readonly $ref?: string }>>;
  readonly 'x-kubernetes-group-version-kind'?: readonly object[];
}

interface Swagger {
  readonly paths: Readonly<Record<string, object>>;
  readonly definitions: Readonly<Record<string, Definition>>;
  readonly parameters?: Readonly<Record<string, object>>;
}

/** A request for the document of the other server, and its answer. */
interface Read {
  readonly ifNoneMatch: unknown;
  readonly status: number | 'failed';
}

/** A client that sees, and can change, how the other server answers for its document. */
class Between {
  readonly reads: Read[] = [];
  change: ((text: string) => string) | undefined;
  isDown = false;
  /** Until when it does not answer. */
  wait: Promise<void> | undefined;
  readonly #http = nodeHttpClient();

  readonly send = Object.assign(
    async (request: OutboundRequest): Promise<OutboundResponse> => {
      if (!request.url.endsWith('/openapi/v2')) return this.#http(request);
      const ifNoneMatch = request.headers?.['if-none-match'];
      if (this.isDown) {
        this.reads.push({ ifNoneMatch, status: 'failed' });
        throw new Error('the cable is cut');
      }
      await this.wait;
      const { change } = this;
      if (change === undefined) {
        const answer = await this.#http(request);
        this.reads.push({ ifNoneMatch, status: answer.status });
        return answer;
      }
      const fields = Object.entries(request.headers ?? {}).filter(([name]) => name !== 'if-none-match');
      const answer = await this.#http({ ...request, headers: Object.fromEntries(fields) });
      return { status: 200, header: () => undefined, body: Buffer.from(change(Buffer.from(answer.body).toString())) };
    },
    { stream: this.#http.stream },
  );

  close(): void {
    this.#http.close();
  }
}

describe('the OpenAPI document of version 2', () => {
  let world: World;
  let clock: ManualClock;
  let between: Between;
  /** The document without another server. */
  let alone: Swagger;
  beforeAll(async () => {
    clock = createManualClock(Date.now());
    between = new Between();
    // The checks of the availability would time out while the clock moves.
    const controllers = { disable: ['apiservice-availability'] as const };
    world = await World.start({ server: { clock, controllers, network: { httpClient: between.send } } });
  });
  beforeAll(async () => {
    alone = await swagger();
  });
  beforeAll(async () => {
    await world.register();
    await patchStatus('True');
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    between.close();
  });
  beforeEach(async () => {
    between.change = undefined;
    between.isDown = false;
    // The document of the other server is due again.
    await clock.advance(2 * MINUTE);
  });

  const answer = (headers: Readonly<Record<string, string>> = {}) =>
    ask(world.main, 'GET', '/openapi/v2', { headers }).then(received);
  const swagger = async (): Promise<Swagger> =>
    jsonOf(await ask(world.main, 'GET', '/openapi/v2')) as unknown as Swagger;
  const patchStatus = async (status: 'True' | 'False'): Promise<void> => {
    const conditions = [{ type: 'Available', status, lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'Test' }];
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/${API_SERVICE}/status`;
    const headers = { 'content-type': 'application/merge-patch+json' };
    const patched = await ask(world.main, 'PATCH', path, { headers, body: JSON.stringify({ status: { conditions } }) });
    expect(patched.status).toBe(200);
    await world.main.settled();
  };

  test('has the paths and kinds of the versions of other servers, and no more of those servers', async () => {
    expect(Object.keys(alone.paths)).not.toContain(`${VERSION_PATH}/`);
    const { paths, definitions } = await swagger();
    const added = Object.keys(paths).filter((path) => !(path in alone.paths));
    expect(added).toContain(`${VERSION_PATH}/namespaces/{namespace}/ferries`);
    expect(added.filter((path) => !path.startsWith(`${VERSION_PATH}/`))).toEqual([]);
    expect(Object.keys(definitions).filter((name) => !(name in alone.definitions))).toEqual([FERRY, `${FERRY}List`]);
    expect(definitions[FERRY]?.properties?.['metadata']?.$ref).toBe(`#/definitions/${META}`);
    expect(definitions[META]).toEqual(alone.definitions[META]);
    expect(paths['/apis/apps/v1/']).toEqual(alone.paths['/apis/apps/v1/']);
    // A type of both servers has the versions of both.
    const kindsOf = (document: Swagger) =>
      document.definitions[DELETE_OPTIONS]?.['x-kubernetes-group-version-kind'] ?? [];
    const kinds = kindsOf({ paths, definitions });
    const own = { group: GROUP, version: 'v1', kind: 'DeleteOptions' };
    expect(kinds).toEqual(expect.arrayContaining([...kindsOf(alone), own]));
    expect(kinds).toHaveLength(kindsOf(alone).length + 1);
  });

  test('gives a definition of the same name and another content another name', async () => {
    between.change = (text) => {
      const document = JSON.parse(text) as { definitions: Record<string, object> };
      document.definitions[META] = { description: 'Of another release.', type: 'object' };
      return JSON.stringify(document);
    };
    const { definitions, paths } = await swagger();
    expect(definitions[META]).toEqual(alone.definitions[META]);
    expect(definitions[`${META}_v2`]).toEqual({ description: 'Of another release.', type: 'object' });
    expect(definitions[FERRY]?.properties?.['metadata']?.$ref).toBe(`#/definitions/${META}_v2`);
    expect(JSON.stringify(paths['/apis/apps/v1/namespaces/{namespace}/deployments'])).not.toContain('_v2');
  });

  test('asks once a minute at most, and only for what has changed', async () => {
    const first = await answer();
    const { length } = between.reads;
    expect(first.headers['etag']).toBe((await answer()).headers['etag']);
    expect(between.reads).toHaveLength(length);
    await clock.advance(MINUTE);
    // Nothing is read before somebody asks.
    expect(between.reads).toHaveLength(length);
    const again = await answer({ 'if-none-match': first.headers['etag'] as string });
    expect([again.status, between.reads[length]]).toEqual([304, { ifNoneMatch: expect.any(String), status: 304 }]);
  });

  test('keeps the last document of a server that does not answer, and waits ever longer', async () => {
    const first = await answer();
    between.isDown = true;
    await clock.advance(MINUTE);
    const { length: reads } = between.reads;
    expect((await answer()).headers['etag']).toBe(first.headers['etag']);
    expect(between.reads.slice(reads)).toEqual([{ ifNoneMatch: expect.any(String), status: 'failed' }]);
    // Times at which it was asked, in minutes after the first failure.
    const asked: number[] = [];
    for (let minute = 1; minute <= 7; minute += 1) {
      const { length } = between.reads;
      await clock.advance(MINUTE);
      await answer();
      if (between.reads.length > length) asked.push(minute);
    }
    expect(asked).toEqual([1, 3, 7]);
    between.isDown = false;
    await clock.advance(8 * MINUTE);
    expect((await answer()).headers['etag']).toBe(first.headers['etag']);
    expect(between.reads.at(-1)).toEqual({ ifNoneMatch: expect.any(String), status: 304 });
  });

  test('waits for a slow server half a second, where its last document is known', async () => {
    const first = await answer();
    let go = (): void => undefined;
    between.wait = new Promise<void>((resolve) => (go = resolve));
    await clock.advance(MINUTE);
    const late = answer();
    await clock.advance(500);
    expect((await late).headers['etag']).toBe(first.headers['etag']);
    between.wait = undefined;
    go();
  });

  test.each([
    '<html>',
    '[]',
    '{"swagger":"2.0"}',
    '{"paths":7,"definitions":[],"parameters":null}',
    `{"paths":{"${VERSION_PATH}/x":{"get":{"parameters":[{"$ref":"#/parameters/no"},{"in":"nowhere"}]}}}}`,
    // Paths of other versions are not the business of this APIService.
    '{"paths":{"/api/v1/stolen":{},"/apis/apps/v1/stolen":{},"/apis/ships.example.com/v11/stolen":{}}}',
  ])('does without what cannot be used: %s', async (text) => {
    between.change = () => text;
    // The APIService changes: the document is read at once, whatever has failed before.
    await patchStatus('False');
    await patchStatus('True');
    const { paths, definitions } = await swagger();
    // Of one that is not a document at all, the last one counts.
    expect([[], [FERRY, `${FERRY}List`]]).toContainEqual(
      Object.keys(definitions).filter((name) => !(name in alone.definitions)),
    );
    for (const path of Object.keys(alone.paths)) expect(paths[path]).toEqual(alone.paths[path]);
    expect(Object.keys(paths).filter((path) => path.endsWith('stolen'))).toEqual([]);
    expect((await answer({ accept: PROTOBUF })).status).toBe(200);
  });

  test('keeps the last document of a server that is not available, and does not ask it', async () => {
    expect(Object.keys((await swagger()).definitions)).toContain(FERRY);
    await patchStatus('False');
    const { length } = between.reads;
    expect(Object.keys((await swagger()).definitions)).toContain(FERRY);
    expect(between.reads).toHaveLength(length);
    await patchStatus('True');
  });

  test.skipIf(toolMinor === undefined)('is what command-line tools go by', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'openapi-v2-'));
    const listener = await listen(world.main, { tls: 'generated' });
    const kubeconfig = join(directory, 'config');
    await writeFile(kubeconfig, listener.kubeConfig());
    const kubectl = new Kubectl({ directory, kubeconfig });
    // Tools before release 1.27 know version 2 only.
    const form = (toolMinor ?? 0) < 27 ? '' : ' --output=plaintext-openapiv2';
    expect(await kubectl.ok(`explain ferries.spec${form}`)).toContain('seats');
    expect(await kubectl.ok(`explain deployments.spec${form}`)).toContain('replicas');
    const ferry = (spec: object) => ({
      input: JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: 'Ferry', metadata: { name: 'one' }, spec }),
    });
    expect(await kubectl.fails('apply --validate=true -f -', ferry({ seat: 5 }))).toContain('unknown field');
    expect(await kubectl.ok('apply --validate=true -f -', ferry({ seats: 5 }))).toBe(`ferry.${GROUP}/one created\n`);
    expect((await ask(world.main, 'GET', `${FERRIES}/one`)).status).toBe(200);
    await listener.close();
    await rm(directory, { recursive: true });
  });

  test('forgets the kinds with the APIService', async () => {
    expect(Object.keys((await swagger()).definitions)).toContain(FERRY);
    await world.client.resource(APIService).delete(API_SERVICE);
    await vi.waitFor(async () => expect(Object.keys((await swagger()).definitions)).not.toContain(FERRY), PATIENCE);
  });
});
