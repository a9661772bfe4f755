import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answerDecoder } from '../../../src/apiserver/admission/answer-decoder.js';
import { UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { converterOf } from '../../../src/kinds/custom/index.js';
import type { ConverterTools } from '../../../src/kinds/custom/webhook-converter.js';
import type { WebhookClientConfig } from '../../../src/kinds/builtin/apiextensions/types.js';
import { ApiError } from '../../../src/foundation/errors/api-error.js';
import { cloneJson, type JsonObject } from '../../../src/foundation/json/json.js';
import type { StoredObject } from '../../../src/foundation/objects/object.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { createManualClock, seededEntropy, type ManualClock } from '../../../src/entries/testing.js';
import {
  createServingCertificate,
  nodeHttpClient,
  type NodeHttpClient,
  type ServingCertificate,
} from '../../../src/transport/node/index.js';
import { world, type Json } from '../../server/custom/world.js';
import { BETA, byWebhook, convertedHost, host, hostDefinition, HOSTS, hostsPath, V1 } from './hosts.js';

interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: JsonObject[] };
}
interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly serverName: unknown;
  readonly review: Review;
}
type Answer = (response: ServerResponse, asked: Asked) => void;

let serving: ServingCertificate;
let other: ServingCertificate;
let server: Server;
let http: NodeHttpClient;
let clock: ManualClock;
let asked: Asked[] = [];
let answer: Answer;

const json = (response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

/** Returns the review of converted objects. */
function converted({ review }: Asked, change: (object: JsonObject) => unknown = (object) => object): Json {
  const { uid, desiredAPIVersion, objects } = review.request;
  const convertedObjects = objects.map((object) => change(convertedHost(object, desiredAPIVersion)));
  const { apiVersion, kind } = review;
  return { apiVersion, kind, response: { uid, convertedObjects, result: { status: 'Success' } } };
}
const convertAll: Answer = (response, question) => json(response, converted(question));

beforeAll(async () => {
  serving = await createServingCertificate({ names: ['converter.hooks.svc'], addresses: ['127.0.0.1'] });
  other = await createServingCertificate();
  http = nodeHttpClient();
  server = createServer({ key: serving.keyPem, cert: serving.certPem }, (incoming, response) => {
    let body = '';
    incoming
      .setEncoding('utf8')
      .on('data', (chunk: string) => void (body += chunk))
      .on('end', () => {
        const { method, url, headers, socket } = incoming;
        const { servername: serverName } = socket as TLSSocket & { servername?: unknown };
        const question = { method, url, headers, serverName, review: JSON.parse(body) as Review };
        asked.push(question);
        answer(response, question);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  http.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  asked = [];
  answer = convertAll;
  clock = createManualClock();
});

const port = (): number => (server.address() as AddressInfo).port;
const url = (path = '/convert'): string => `https://127.0.0.1:${port()}${path}`;
const bundle = (certificate = serving): string => Buffer.from(certificate.caPem).toString('base64');

const object = (name: string, version: 'v1' | 'v1beta1' = 'v1beta1'): StoredObject => ({
  kind: 'Host',
  apiVersion: `example.com/${version}`,
  metadata: { name, namespace: 'default', uid: `uid-${name}`, labels: { a: 'b' } },
  spec: { [version === 'v1' ? 'hostname' : 'host']: name },
});

const noServices = (): Promise<never> => Promise.reject(new Error('service "converter" not found'));

function converterTo(clientConfig: WebhookClientConfig, tools: Partial<ConverterTools> = {}, versions = ['v1']) {
  const converter = converterOf(HOSTS, byWebhook(clientConfig, versions), {
    dialect: kubernetes,
    clock,
    entropy: seededEntropy(1),
    http,
    decode: answerDecoder({ bodyContainers: 200_000 }),
    findService: noServices,
    ...tools,
  });
  return async (objects: readonly StoredObject[]) => converter.convert(objects, V1);
}
const convert = (objects: readonly StoredObject[], versions?: string[]) =>
  converterTo({ url: url(), caBundle: bundle() }, {}, versions)(objects);

/** The error of a failed conversion. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof Error && 'status' in error ? error.status : error;
}
const failure = (message: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  code: 500,
});
const FAILED = `conversion webhook for ${BETA}, Kind=Host failed: `;

describe('a conversion webhook', () => {
  test.each([
    [['v1'], 'v1'],
    [['v1beta1'], 'v1beta1'],
    [['v2', 'v1beta1', 'v1'], 'v1beta1'],
    [['v1', 'v1beta1'], 'v1'],
  ])('that accepts reviews of %j gets one of %s with all objects', async (versions, version) => {
    const objects = [object('a'), object('b')];
    expect(await convert(objects, versions)).toMatchObject([
      { apiVersion: V1, kind: 'Host', metadata: objects[0]?.metadata, spec: { hostname: 'a' } },
      { apiVersion: V1, kind: 'Host', metadata: objects[1]?.metadata, spec: { hostname: 'b' } },
    ]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: '/convert?timeout=30s',
      headers: {
        accept: 'application/json, */*',
        'content-type': 'application/json',
        'user-agent': 'kube-apiserver-admission',
      },
    });
    expect(asked[0]?.review).toEqual({
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown, desiredAPIVersion: V1, objects },
      response: { uid: '', convertedObjects: null, result: { metadata: {} } },
    });
  });

  test('may change labels and annotations; other metadata is restored', async () => {
    answer = (response, question) =>
      json(
        response,
        converted(question, (value) => ({
          ...value,
          metadata: {
            ...(value['metadata'] as JsonObject),
            labels: { c: 'd' },
            annotations: { e: 'f' },
            generation: 7,
            finalizers: ['example.com/x'],
          },
        })),
      );
    const [result] = await convert([object('a')]);
    expect(result?.metadata).toEqual({
      name: 'a',
      namespace: 'default',
      uid: 'uid-a',
      labels: { c: 'd' },
      annotations: { e: 'f' },
    });
  });

  test('gets the objects in several requests when they do not fit in one', async () => {
    const large = 'x'.repeat(9 * 1024 * 1024);
    const objects = ['a', 'b'].map((name) => ({ ...object(name), spec: { host: large } }));
    expect((await convert(objects)).map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(asked).toHaveLength(2);
  });

  test('gets requests of at most 2 MiB, so that no answer takes long to decode', async () => {
    const text = 'x'.repeat(300 * 1024);
    const objects = Array.from({ length: 20 }, (_, index) => ({ ...object(`o-${index}`), spec: { host: text } }));
    expect((await convert(objects)).map(({ metadata }) => metadata.name)).toEqual(
      objects.map(({ metadata }) => metadata.name),
    );
    expect(asked.map(({ review }) => review.request.objects.length)).toEqual([6, 6, 6, 2]);
  });

  describe('whose answer is long', () => {
    /** The memory that is reserved; what does not fit is refused. */
    class Memory {
      readonly refusal = new ApiError({
        message: 'the memory budget is used up',
        code: 429,
        reason: 'TooManyRequests',
      });
      readonly maxBytes: number;
      usedBytes = 0;
      mostBytes = 0;
      ends = 0;

      constructor(maxBytes: number) {
        this.maxBytes = maxBytes;
      }

      readonly reserve = (bytes: number): void => {
        if (this.usedBytes + bytes > this.maxBytes) throw this.refusal;
        this.usedBytes += bytes;
        this.mostBytes = Math.max(this.mostBytes, this.usedBytes);
      };
      readonly release = (bytes: number): void => {
        this.usedBytes -= bytes;
      };
      readonly end = (): void => {
        this.usedBytes = 0;
        this.ends += 1;
      };
    }
    const answerOf = (characters: number): Answer => {
      const padding = 'x'.repeat(characters);
      return (response, question) => json(response, { ...converted(question), padding });
    };
    const convertIn = (memory: Memory, tools: Partial<ConverterTools> = {}) =>
      converterTo({ url: url(), caBundle: bundle() }, { ...tools, ownWork: () => ({ ...UNBOUNDED_WORK, ...memory }) });

    test('fails beyond four times its request and 1 MiB', async () => {
      const extra = 1024 * 1024;
      answer = answerOf(extra);
      expect(await convert([object('a')])).toHaveLength(1);
      answer = answerOf(extra + 4096);
      const error = await failureOf(convert([object('a')]));
      expect(error).toMatchObject({
        code: 500,
        message: expect.stringContaining('the answer is longer than') as unknown,
      });
    });

    test('fails beyond the limit of the server', async () => {
      answer = answerOf(5000);
      const error = await failureOf(convertIn(new Memory(Infinity), { maxAnswerBytes: 4000 })([object('a')]));
      expect(error).toMatchObject({
        code: 500,
        message: expect.stringContaining('is longer than 4000 bytes') as unknown,
      });
    });

    test('is counted while it is read and used, with the request', async () => {
      const memory = new Memory(Infinity);
      answer = answerOf(500_000);
      await convertIn(memory)([object('a')]);
      expect(memory.mostBytes).toBeGreaterThan(6 * 500_000);
      expect(memory.mostBytes).toBeLessThan(7 * 500_000);
      expect(memory).toMatchObject({ usedBytes: 0, ends: 1 });
    });

    test('is decoded in slices of the request that needs it, and its objects and lists are bounded', async () => {
      const items = Array.from({ length: 30_000 }, () => ({}));
      answer = (response, question) => json(response, { ...converted(question), items });
      let slices = 0;
      const next = (): Promise<void> => Promise.resolve(void (slices += 1));
      const memory = new Memory(Infinity);
      const work = { ...UNBOUNDED_WORK, ...memory, spend: () => true, next };
      const tools = { dialect: kubernetes, clock, entropy: seededEntropy(1), http, findService: noServices };
      const convertWithin = async (bodyContainers: number) =>
        converterOf(HOSTS, byWebhook({ url: url(), caBundle: bundle() }), {
          ...tools,
          decode: answerDecoder({ bodyContainers }),
        }).convert([object('a')], V1, work);
      expect(await convertWithin(200_000)).toHaveLength(1);
      expect(slices).toBeGreaterThan(items.length / 2000);
      // The decoded value takes more memory than six times the text.
      expect(memory.mostBytes).toBeGreaterThan(64 * items.length);
      expect(await failureOf(convertWithin(30_000))).toEqual(
        failure(
          `${FAILED}couldn't get version/kind; json parse error: the response has more than 30000 objects and lists`,
        ),
      );
    });

    test('is refused with 429 before it is buffered when the memory is used up', async () => {
      const memory = new Memory(2 * 1024 * 1024);
      answer = answerOf(1024 * 1024);
      expect(await failureOf(convertIn(memory)([object('a')]))).toEqual(memory.refusal.status);
      expect(memory).toMatchObject({ usedBytes: 0, ends: 1 });
    });
  });

  const meta = (change: JsonObject) => (value: JsonObject) => ({
    ...value,
    metadata: { ...(value['metadata'] as JsonObject), ...change },
  });

  test.each<[string, (value: JsonObject) => unknown, single: string, several: string]>([
    [
      'another version',
      (value) => ({ ...value, apiVersion: BETA }),
      `returned invalid object at index 0: invalid groupVersion (expected ${V1}, received ${BETA})`,
      `returned invalid converted object at index 2: invalid groupVersion (expected ${V1}, received ${BETA})`,
    ],
    [
      'no version',
      ({ apiVersion: _apiVersion, ...value }) => value,
      `returned invalid object at index 0: invalid groupVersion (expected ${V1}, received )`,
      `returned invalid converted object at index 2: invalid groupVersion (expected ${V1}, received )`,
    ],
    [
      'another kind',
      (value) => ({ ...value, kind: 'Guest' }),
      'returned invalid object at index 0: invalid kind (expected Host, received Guest)',
      'returned invalid converted object at index 2: invalid kind (expected Host, received Guest)',
    ],
    [
      'another name',
      meta({ name: 'z' }),
      'returned invalid object: must have the same name: b != z',
      'returned invalid converted object at index 2: must have the same name: b != z',
    ],
    [
      'another namespace',
      meta({ namespace: 'z' }),
      'returned invalid object: must have the same namespace: default != z',
      'returned invalid converted object at index 2: must have the same namespace: default != z',
    ],
    [
      'another uid',
      meta({ uid: 'z' }),
      'returned invalid object: must have the same UID: uid-b != z',
      'returned invalid converted object at index 2: must have the same UID: uid-b != z',
    ],
    [
      'labels that are no object',
      meta({ labels: ['a'] }),
      'returned invalid metadata: invalid metadata.labels of type []interface {} in converted object',
      'returned invalid metadata in object at index 2: invalid metadata.labels of type []interface {} in converted object',
    ],
    [
      'an annotation that is no text',
      meta({ annotations: { a: 1 } }),
      'returned invalid metadata: metadata.annotations[a] must be a string, but is int64 in converted object',
      'returned invalid metadata in object at index 2: metadata.annotations[a] must be a string, but is int64 in converted object',
    ],
    [
      'invalid annotations',
      meta({ annotations: { '!': '' } }),
      `returned invalid metadata: metadata.annotation: Invalid value: "!": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `returned invalid metadata in object at index 2: metadata.annotation: Invalid value: "!": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ])('that returns %s is refused', async (_what, change, single, several) => {
    answer = (response, question) =>
      json(
        response,
        converted(question, (value) => ((value['metadata'] as Json)['name'] === 'b' ? change(value) : value)),
      );
    const subject = `conversion webhook for ${BETA}, Kind=Host `;
    expect(await failureOf(convert([object('b')]))).toEqual(failure(subject + single));
    expect(await failureOf(convert([object('a'), object('b')]))).toEqual(failure(subject + several));
  });

  test.each<[string, (value: JsonObject) => unknown, single: string, several: string]>([
    ['null', () => null, 'unexpected end of JSON input', 'unexpected end of JSON input'],
    [
      'a text',
      () => 'b',
      'json: cannot unmarshal string into Go value of type map[string]interface {}',
      'json: cannot unmarshal string into Go value of type map[string]interface {}',
    ],
    ['no kind', () => ({ a: 1 }), `Object 'Kind' is missing in '{"a":1}'`, `Object 'Kind' is missing in '{"a":1}'`],
  ])('that returns %s instead of an object is refused', async (_what, change, single, several) => {
    answer = (response, question) => json(response, converted(question, change));
    expect(await failureOf(convert([object('b')]))).toEqual(failure(single));
    expect(await failureOf(convert([object('a'), object('b')]))).toEqual(
      failure(`conversion webhook for ${BETA}, Kind=Host returned invalid converted object at index 0: ${several}`),
    );
  });

  const withResponse =
    (change: (review: Json, response: Json) => unknown): Answer =>
    (response, question) => {
      const review = converted(question);
      json(response, change(review, review['response'] as Json));
    };

  test.each<[string, Answer, string]>([
    [
      'a review of no kind',
      withResponse((_review, response) => ({ response })),
      'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=',
    ],
    [
      'a review of another version',
      withResponse((review) => ({ ...review, apiVersion: 'apiextensions.k8s.io/v1beta1' })),
      'converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion',
    ],
    [
      'another kind',
      withResponse((review) => ({ ...review, kind: 'AdmissionReview' })),
      'no kind "AdmissionReview" is registered for version "apiextensions.k8s.io/v1"',
    ],
    ['no response', withResponse(({ kind, apiVersion }) => ({ kind, apiVersion })), 'no response provided'],
    [
      'another uid',
      withResponse((review, response) => ({ ...review, response: { ...response, uid: 'z' } })),
      'expected response.uid="7a1ca4ef-7515-4276-ae70-9230bc27d0a2", got "z"',
    ],
    [
      'a failure with a message',
      withResponse((review, response) => ({
        ...review,
        response: { ...response, result: { status: 'Failure', message: 'cannot do this' } },
      })),
      'cannot do this',
    ],
    [
      'a failure without a message',
      withResponse((review, response) => ({ ...review, response: { ...response, result: { status: 'Failure' } } })),
      "response.result.status was 'Failure', not 'Success'",
    ],
    [
      'no result',
      withResponse((review, { uid }) => ({ ...review, response: { uid } })),
      "response.result.status was '', not 'Success'",
    ],
    [
      'objects that are no list',
      withResponse((review, response) => ({ ...review, response: { ...response, convertedObjects: {} } })),
      'json: cannot unmarshal object into Go struct field ConversionResponse.response.convertedObjects of type []runtime.RawExtension',
    ],
    [
      'nothing',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(),
      '0-length response with status code: 200 and content type: application/json',
    ],
    [
      'half an object',
      (response) => void response.end('{"kind": '),
      "couldn't get version/kind; json parse error: unexpected end of JSON input",
    ],
    [
      'a page',
      (response) => void response.end('<html>'),
      String.raw`couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`,
    ],
    [
      'a redirect',
      (response) => void response.writeHead(307, { location: url('/elsewhere') }).end(),
      'the server responded with the status code 307 but did not return more information',
    ],
    ['404', (response) => void response.writeHead(404).end('x'), 'the server could not find the requested resource'],
    [
      '500',
      (response) => void response.writeHead(500, { 'content-type': 'text/plain' }).end('broken\n'),
      'an error on the server ("broken") has prevented the request from succeeding',
    ],
    [
      'a Status',
      (response) => json(response, { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'go away' }, 403),
      'go away',
    ],
  ])('that answers with %s is refused', async (_what, given, message) => {
    answer = given;
    const result = await failureOf(convert([object('a')]));
    const uid = asked[0]?.review.request.uid ?? '';
    expect(result).toEqual(failure(FAILED + message.replace(/"[0-9a-f]{8}-[0-9a-f-]{27}"/, JSON.stringify(uid))));
    expect(asked).toHaveLength(1);
  });

  test.each([
    [[], 'returned 0 objects, expected 2'],
    [[{}, {}, {}], 'returned 3 objects, expected 2'],
  ])('that returns %j is refused', async (convertedObjects, message) => {
    answer = withResponse((review, response) => ({ ...review, response: { ...response, convertedObjects } }));
    expect(await failureOf(convert([object('a'), object('b')]))).toEqual(
      failure(`conversion webhook for ${BETA}, Kind=Host ${message}`),
    );
  });

  test('of v1beta1 needs neither a kind nor a uid', async () => {
    answer = withResponse((_review, { convertedObjects, result }) => ({ response: { convertedObjects, result } }));
    expect(await convert([object('a')], ['v1beta1'])).toMatchObject([{ spec: { hostname: 'a' } }]);
  });

  test('that does not answer is abandoned after 30 seconds', async () => {
    let closed = false;
    answer = (response) => void response.socket?.on('close', () => (closed = true));
    const result = failureOf(convert([object('a')]));
    while (asked.length === 0) await clock.settle();
    await clock.advance(29_999);
    expect(closed).toBe(false);
    await clock.advance(1);
    expect(await result).toEqual(failure(`${FAILED}Post "${url()}?timeout=30s": context deadline exceeded`));
    while (!closed) await clock.settle();
  });

  test('that asks for a pause is called again after it', async () => {
    answer = (response, question) =>
      asked.length < 3
        ? void response.writeHead(503, { 'retry-after': '2' }).end()
        : json(response, converted(question));
    const result = convert([object('a')]);
    for (const count of [1, 2]) {
      while (asked.length < count || clock.pending < 2) await clock.settle();
      await clock.advance(2000);
    }
    expect(await result).toMatchObject([{ spec: { hostname: 'a' } }]);
    expect(asked).toHaveLength(3);
  });

  test('is not called if its certificate is not trusted, or is for another name', async () => {
    const untrusted = converterTo({ url: url(), caBundle: bundle(other) });
    expect(await failureOf(untrusted([object('a')]))).toEqual(
      failure(
        `${FAILED}Post "${url()}?timeout=30s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      ),
    );
    const findService = async (): Promise<URL> => new URL(`https://127.0.0.1:${port()}`);
    const service = { namespace: 'hooks', name: 'other', path: '/convert' };
    const named = converterTo({ service, caBundle: bundle() }, { findService });
    expect(await failureOf(named([object('a')]))).toEqual(
      failure(
        `${FAILED}Post "https://other.hooks.svc:443/convert?timeout=30s": tls: failed to verify certificate: x509: certificate is valid for converter.hooks.svc, 127.0.0.1, not other.hooks.svc`,
      ),
    );
    expect(asked).toEqual([]);
  });

  test('that cannot be reached fails in the words of Kubernetes', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(closed.address() as AddressInfo).port}`;
    await new Promise((resolve) => closed.close(resolve));
    expect(await failureOf(converterTo({ url: `https://${address}/` })([object('a')]))).toEqual(
      failure(`${FAILED}Post "https://${address}/?timeout=30s": dial tcp ${address}: connect: connection refused`),
    );
  });

  test('behind a service is reached where the server resolves it, under the name of the service', async () => {
    const services: unknown[] = [];
    const findService = async (service: unknown): Promise<URL> => {
      services.push(service);
      return new URL(`https://127.0.0.1:${port()}/proxy/`);
    };
    const service = { namespace: 'hooks', name: 'converter', path: '//convert/', port: 8443 };
    const call = converterTo({ service, caBundle: bundle() }, { findService });
    expect(await call([object('a')])).toMatchObject([{ spec: { hostname: 'a' } }]);
    expect(services).toEqual([{ namespace: 'hooks', name: 'converter', port: 8443 }]);
    expect(asked).toMatchObject([
      {
        url: '/proxy/convert?timeout=30s',
        headers: { host: 'converter.hooks.svc:8443' },
        serverName: 'converter.hooks.svc',
      },
    ]);
  });

  test('behind a service that does not exist fails with the reason', async () => {
    const call = converterTo({ service: { namespace: 'hooks', name: 'converter' } });
    expect(await failureOf(call([object('a')]))).toEqual(
      failure(`${FAILED}Post "https://converter.hooks.svc:443/?timeout=30s": service "converter" not found`),
    );
  });
});

describe('a function in place of a webhook', () => {
  const by = (convertAll: NonNullable<ConverterTools['functions']>[string]) =>
    converterTo({ url: 'https://127.0.0.1:1' }, { functions: { [HOSTS]: convertAll } });

  test('gets copies, and passes the same checks', async () => {
    const given = object('a');
    const before = cloneJson(given);
    const call = by((objects, apiVersion) => {
      for (const value of objects) Object.assign(value, convertedHost(value, apiVersion));
      return objects;
    });
    expect(await call([given])).toMatchObject([{ apiVersion: V1, spec: { hostname: 'a' } }]);
    expect(given).toEqual(before);
    expect(await failureOf(by(() => [])([given]))).toEqual(
      failure(`conversion webhook for ${BETA}, Kind=Host returned 0 objects, expected 1`),
    );
    expect(await failureOf(by((objects) => objects)([given]))).toEqual(
      failure(
        `conversion webhook for ${BETA}, Kind=Host returned invalid object at index 0: invalid groupVersion (expected ${V1}, received ${BETA})`,
      ),
    );
  });

  test('may throw, reject or return nothing, which fails the conversion', async () => {
    const throwing = by(() => {
      throw new Error('thrown');
    });
    expect(await failureOf(throwing([object('a')]))).toEqual(failure(`${FAILED}thrown`));
    const rejecting = by(async () => Promise.reject(new Error('rejected')));
    expect(await failureOf(rejecting([object('a')]))).toEqual(failure(`${FAILED}rejected`));
    // @ts-expect-error a program without types
    const nothing = by(() => undefined);
    expect(await failureOf(nothing([object('a')]))).toEqual(
      failure(`conversion webhook for ${BETA}, Kind=Host returned 0 objects, expected 1`),
    );
  });
});

describe('a server', () => {
  test('finds the service of a conversion webhook by its stored objects', async () => {
    const urls: string[] = [];
    await using own = await world({
      network: {
        httpClient: async ({ url: requested }) => {
          urls.push(requested);
          throw new Error('no answer');
        },
      },
    });
    const service = { namespace: 'default', name: 'converter', path: '/convert' };
    await own.define(hostDefinition(byWebhook({ service, caBundle: bundle() })));
    await own.send('POST', hostsPath('v1'), host('v1', 'a', 'a'));
    const failed = async (): Promise<unknown> => ((await own.get(hostsPath('v1beta1', 'a'))).body as Json)['message'];
    const posted = `${FAILED}Post "https://converter.default.svc:443/convert?timeout=30s": `.replace(BETA, V1);
    expect(await failed()).toBe(`${posted}service "converter" not found`);
    const services = '/api/v1/namespaces/default/services';
    await own.send('POST', services, { metadata: { name: 'converter' }, spec: { ports: [{ port: 443 }] } });
    expect(await failed()).toBe(`${posted}endpoints "converter" not found`);
    await own.send('POST', '/api/v1/namespaces/default/endpoints', {
      metadata: { name: 'converter' },
      subsets: [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 9443 }] }],
    });
    expect(await failed()).toBe(`${posted}no answer`);
    expect(urls).toEqual(['https://192.0.2.7:9443/convert?timeout=30s']);
  });

  const lines: unknown[] = [];
  const logger = {
    info: (...line: unknown[]) => void lines.push(line),
    error: (...line: unknown[]) => void lines.push(line),
  };
  afterEach(() => void (lines.length = 0));

  test('converts through the webhook of a definition, and follows its changes', async () => {
    await using own = await world({
      network: {
        httpClient: http,
        resolveService: () => new URL(`https://127.0.0.1:${port()}`),
      },
      observability: { logger },
    });
    const service = { namespace: 'hooks', name: 'converter', path: '/convert' };
    await own.define(hostDefinition(byWebhook({ service, caBundle: bundle() })));
    for (const name of ['a', 'b', 'c']) {
      const created = await own.send('POST', hostsPath('v1'), host('v1', name, `secret-${name}`));
      expect(created.status).toBe(201);
    }
    asked = [];
    const list = await own.get(hostsPath('v1beta1'));
    expect((list.body as { items: Json[] }).items.map(({ spec }) => (spec as Json)['host'])).toEqual([
      'secret-a',
      'secret-b',
      'secret-c',
    ]);
    expect(asked.map(({ review }) => review.request.objects.length)).toEqual([3]);
    answer = (response) => json(response, { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1' });
    await own.send(
      'PATCH',
      hostsPath('v1', 'a'),
      { spec: { replicas: 2 } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(await own.get(hostsPath('v1beta1', 'a'))).toMatchObject({
      status: 500,
      body: failure(`conversion webhook for ${V1}, Kind=Host failed: no response provided`),
    });
    expect(JSON.stringify(lines)).not.toContain('secret');
    await own.change(HOSTS, { spec: { conversion: { strategy: 'None', webhook: null } } });
    expect(await own.get(hostsPath('v1beta1', 'a'))).toMatchObject({ status: 200, body: { spec: { replicas: 2 } } });
  });
});
