import '../../kinds/builtin/loaded-kinds.js';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineResource, statusSubresource } from '../../../src/registry/index.js';
import type { JsonValue } from '../../../src/foundation/json/json.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import { builtinResources, Namespace } from '../../../src/kinds/builtin/index.js';
import type { ApiResponse } from '../../../src/server/requests/http.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { ask } from '../../server/ask.js';
import { problemOf } from './answers.js';
import { Chance } from './chance.js';
import { RequestMaker, type FuzzedRequest } from './requests.js';

/** Requests of one seed. Each seed has a server of its own, so that any number of requests takes no more memory. */
const PER_SEED = 20_000;
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? PER_SEED);
const SEEDS = Array.from({ length: Math.ceil(REQUESTS / PER_SEED) }, (_, index) => SEED + index);
const OWNER = 'owner-of-the-fuzzing-test';

/** Custom kinds: one with a free-form field, a name conversion and a status, one without a namespace. */
const Widget = defineResource({
  group: 'fuzz.example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: () =>
    z.object({
      spec: z
        .object({
          free: z.unknown().optional(),
          size: z.number().int().min(0).default(1),
          color: z.enum(['red', 'blue']).optional(),
          parts: z.array(z.object({ name: z.string(), tags: z.array(z.string()).optional() })).optional(),
        })
        .optional(),
      status: z.looseObject({}).optional(),
    }),
  subresources: { status: statusSubresource },
});
const Gadget = defineResource({
  group: 'fuzz.example.com',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  scope: 'Cluster',
  schema: () => z.looseObject({ on: z.boolean().nullable().optional(), ratio: z.number().optional() }),
});

/** Longest time that a request waits under the default limits, in milliseconds. */
const LONG_MS = 90_000;

/** Turns of the event loop after which a request waits only for time: loading a module takes some. */
const PATIENCE = 1000;

/** How often each method succeeded, and how often it was refused, with all seeds. */
const tally = new Map<string, { done: number; refused: number }>();

class Fuzzed {
  private constructor(
    readonly test: TestServer,
    readonly logged: readonly string[],
  ) {}

  static async start(seed: number): Promise<Fuzzed> {
    const logged: string[] = [];
    const error = (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const cause = fields['error'];
      logged.push(`${message} ${cause instanceof Error ? (cause.stack ?? cause.message) : JSON.stringify(cause)}`);
    };
    const started = await startTestServer({
      dialect: 'kubernetes',
      authentication: { ownerToken: OWNER },
      seed,
      resources: [Widget, Gadget],
      observability: { logger: { info: () => undefined, error } },
      featureGates: { ClusterTrustBundle: true, WatchList: true },
      runtimeConfig: 'certificates.k8s.io/v1alpha1=true',
    });
    await started.client.resource(Namespace).create({ metadata: { name: 'n1' } });
    // Roles are created on their first use; that loads modules, and takes no clock time.
    await ask(started.server, 'GET', '/api', { token: OWNER, headers: { 'impersonate-user': 'jane' } });
    await started.settled();
    return new Fuzzed(started, logged);
  }

  /** Sends a request; describes what is wrong with its answer or with the log. */
  async problem(request: FuzzedRequest): Promise<string | undefined> {
    const before = this.logged.length;
    const gone = new AbortController();
    const target = `${request.path}?${request.query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`;
    const body =
      request.body === undefined
        ? undefined
        : 'text' in request.body
          ? request.body.text
          : JSON.stringify(request.body.json);
    const answer = await this.#answered(
      ask(this.test.server, request.method, target, {
        token: OWNER,
        headers: request.headers,
        signal: gone.signal,
        ...(body === undefined ? {} : { body }),
      }),
    );
    if (typeof answer === 'string') return answer;
    await endStream(answer);
    gone.abort();
    this.#count(request.method, answer.status);
    const [log] = this.logged.slice(before);
    return log === undefined ? problemOf(request, answer) : `logged: ${log}`;
  }

  #count(method: string, status: number): void {
    const counted = tally.get(method) ?? { done: 0, refused: 0 };
    counted[status < 400 ? 'done' : 'refused'] += 1;
    tally.set(method, counted);
  }

  /** Waits for an answer, and advances the clock when nothing else brings one. */
  async #answered(asked: Promise<ApiResponse>): Promise<ApiResponse | string> {
    const answer = asked.catch((error: unknown) => `handle() threw ${String(error)}`);
    const pending = Symbol('pending');
    for (let round = 0; round < PATIENCE + 20; round += 1) {
      const first = await Promise.race([
        answer,
        new Promise<typeof pending>((resolve) => setImmediate(() => resolve(pending))),
      ]);
      if (first !== pending) return first;
      if (round >= PATIENCE) await this.test.clock.advance(LONG_MS / 20);
    }
    return 'no answer';
  }
}

/** Ends a stream as a disconnecting client does. */
async function endStream({ body }: ApiResponse): Promise<void> {
  if (typeof body === 'object' && 'stream' in body) await body.stream[Symbol.asyncIterator]().return?.();
}

/** Requests with one part removed, the larger parts first. */
function* smaller(request: FuzzedRequest): Iterable<FuzzedRequest> {
  for (const [index] of request.query.entries())
    yield { ...request, query: request.query.filter((_, at) => at !== index) };
  for (const name of Object.keys(request.headers))
    yield {
      ...request,
      headers: Object.fromEntries(Object.entries(request.headers).filter(([other]) => other !== name)),
    };
  if (request.body !== undefined && 'json' in request.body)
    for (const json of smallerValues(request.body.json)) yield { ...request, body: { json } };
}

function* smallerValues(value: JsonValue): Iterable<JsonValue> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    for (const index of items.keys()) yield items.filter((_, at) => at !== index);
    for (const [index, item] of items.entries())
      for (const less of smallerValues(item)) yield items.map((other, at) => (at === index ? less : other));
    return;
  }
  const entries = Object.entries(value) as [string, JsonValue][];
  for (const [key] of entries) yield Object.fromEntries(entries.filter(([other]) => other !== key));
  for (const [key, member] of entries)
    for (const less of smallerValues(member))
      yield Object.fromEntries(entries.map(([other, kept]) => [other, other === key ? less : kept]));
}

/** The smallest request with the same fault that removing parts can find. */
async function shrunk(fuzzed: Fuzzed, request: FuzzedRequest, problem: string): Promise<FuzzedRequest> {
  const same = (other: string | undefined): boolean =>
    other !== undefined && other.slice(0, 40) === problem.slice(0, 40);
  let smallest = request;
  for (let left = 500, found = true; found && left > 0;) {
    found = false;
    for (const candidate of smaller(smallest)) {
      if ((left -= 1) <= 0) break;
      if (!same(await fuzzed.problem(candidate))) continue;
      smallest = candidate;
      found = true;
      break;
    }
  }
  return smallest;
}

test.each(SEEDS)(
  `${Math.min(REQUESTS, PER_SEED)} requests of the seed %i get answers that Kubernetes could give`,
  { timeout: 300_000 },
  async (seed) => {
    const requests = Math.min(REQUESTS, PER_SEED);
    const fuzzed = await Fuzzed.start(seed);
    const infos = [...builtinResources, Widget, Gadget].map((definition) => new ResourceInfo(definition, kubernetes));
    const maker = new RequestMaker(infos, new Chance(seed));
    const found = new Map<string, string>();
    for (let index = 0; index < requests && found.size < 10; index += 1) {
      const request = maker.make();
      const problem = await fuzzed.problem(request);
      if (problem === undefined) continue;
      const key = problem.slice(0, 120);
      if (found.has(key)) continue;
      found.set(
        key,
        `seed ${seed}, request ${index}: ${problem.slice(0, 1500)}\n${JSON.stringify(await shrunk(fuzzed, request, problem))}`,
      );
    }
    await fuzzed.test.close();
    expect([...found.values()].join('\n\n')).toBe('');
  },
);

test('some requests of each method succeed, and some are refused', () => {
  // Requests that are all refused would test nothing.
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    const { done = 0, refused = 0 } = tally.get(method) ?? {};
    expect(done, method).toBeGreaterThan(REQUESTS / 200);
    expect(refused, method).toBeGreaterThan(REQUESTS / 200);
  }
});
