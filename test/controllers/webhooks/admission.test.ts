import { describe, expect, test } from 'vitest';
import { ApiServer, kubernetes, type AdmissionRequest } from '../../../src/entries/index.js';
import { ConfigMap } from '../../../src/entries/kinds.js';
import { bundleWith, configure, hook, serve, start } from './support.js';

type Started = Awaited<ReturnType<typeof start>>;

const maps = ({ client }: Pick<Started, 'client'>) => client.resource(ConfigMap).namespace('default');

describe('admission webhooks that are served', () => {
  test('change objects, refuse them, and warn', async () => {
    await using of = await start();
    await using hooks = await serve({
      webhooks: [
        hook(
          'owner.example.com',
          ({ userInfo }) => ({
            allowed: true,
            patch: [{ op: 'add', path: '/metadata/annotations', value: { owner: userInfo.username ?? 'ü' } }],
            warnings: ['the owner was set'],
          }),
          { phase: 'Mutating' },
        ),
        hook('no-passwords.example.com', ({ object }) =>
          JSON.stringify(object?.['data'] ?? {}).includes('password')
            ? { allowed: false, status: { message: 'they belong in a Secret', code: 403, reason: 'Forbidden' } }
            : { allowed: true },
        ),
      ],
      client: of.client,
      configurations: { mutating: ['m'], validating: ['v'] },
    });
    await configure(of, 'Mutating', 'm', { 'owner.example.com': `${hooks.url}/admission/owner.example.com` });
    await configure(of, 'Validating', 'v', {
      'no-passwords.example.com': `${hooks.url}/admission/no-passwords.example.com`,
    });
    await bundleWith(1, of, 'v');
    await bundleWith(1, of, 'm', 'Mutating');
    const owned = await maps(of).create({ metadata: { name: 'a' } });
    expect(owned.metadata.annotations?.['owner']).toMatch(/./);
    const secret = maps(of).create({ metadata: { name: 'b' }, data: { password: 'x' } });
    await expect(secret).rejects.toMatchObject({
      code: 403,
      message: 'admission webhook "no-passwords.example.com" denied the request: they belong in a Secret',
    });
    const warnings: string[] = [];
    const warned = of.server.client({ onWarning: (text) => warnings.push(text) });
    await maps({ client: warned }).create({ metadata: { name: 'd' } });
    expect(warnings).toEqual(['the owner was set']);
  });

  test('get what they get in the process', async () => {
    const asked: AdmissionRequest[] = [];
    const record = hook('record.example.com', (request) => {
      asked.push(request);
      return { allowed: true };
    });
    await using of = await start();
    await using hooks = await serve({ webhooks: [record], client: of.client, configurations: { validating: ['v'] } });
    await configure(of, 'Validating', 'v', { 'record.example.com': `${hooks.url}/admission/record.example.com` });
    await bundleWith(1, of, 'v');
    await using inProcess = new ApiServer({ dialect: kubernetes, clock: of.clock, admission: { plugins: [record] } });
    const change = async (server: ApiServer) => {
      const client = server.client().resource(ConfigMap).namespace('default');
      await client.create({ metadata: { generateName: 'a-' }, data: { a: 'b' } }, { dryRun: true });
      const made = await client.create({ metadata: { name: 'x' }, data: { a: 'b' } });
      await client.update({ ...made, data: { a: 'c' } });
    };
    await change(of.server);
    const served = asked.splice(0);
    await change(inProcess);
    const comparable = (request: AdmissionRequest): unknown =>
      JSON.parse(
        JSON.stringify(request, (key, value: unknown) =>
          ['uid', 'resourceVersion', 'creationTimestamp', 'time'].includes(key) ? undefined : value,
        ).replaceAll(/"name":"a-[^"]*"/g, '"name":"a-"'),
      );
    expect(served).toHaveLength(3);
    expect(served.map(comparable)).toEqual(asked.map(comparable));
    expect(served[0]).toMatchObject({ oldObject: null, dryRun: true, operation: 'CREATE' });
  });

  test('fail as the failure policy says when they throw, which is reported', async () => {
    const reported: unknown[] = [];
    const broken = new Error('broken');
    const throws = hook('throws.example.com', () => {
      throw broken;
    });
    await using of = await start();
    await using hooks = await serve({
      webhooks: [throws],
      client: of.client,
      configurations: { validating: ['v'] },
      onError: (error) => reported.push(error),
    });
    const url = `${hooks.url}/admission/throws.example.com`;
    await configure(of, 'Validating', 'v', { 'throws.example.com': url });
    await bundleWith(1, of, 'v');
    await expect(maps(of).create({ metadata: { name: 'a' } })).rejects.toMatchObject({
      code: 500,
      message: expect.stringMatching(/failed calling webhook "throws.example.com": .*broken/s) as unknown,
    });
    expect(reported).toEqual([broken]);
  });
});

describe('a server of webhooks', () => {
  const review = (request: object = {}, more: object = {}) => ({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: 'u',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      operation: 'CREATE',
      userInfo: {},
      object: {},
      ...request,
    },
    ...more,
  });
  const serving = async (of: Started) => {
    let isCalled: () => void = () => undefined;
    const called = new Promise<void>((resolve) => (isCalled = resolve));
    const hooks = await serve({
      webhooks: [
        hook('yes', () => ({ allowed: true, auditAnnotations: { a: 'b' } })),
        hook('never', () => new Promise(() => isCalled()), { timeout: '2s' }),
      ],
      clock: of.clock,
      maxBytes: 2000,
      onError: () => undefined,
    });
    const post = async (body: unknown, path = '/admission/yes', more: object = {}) => {
      const response = await of.http({
        ...{ url: hooks.url + path, method: 'POST', maxBytes: 10_000, tls: { certificateAuthority: hooks.authority } },
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...more,
      });
      return [response.status, new TextDecoder().decode(response.body)] as const;
    };
    return { hooks, post, called };
  };

  test.each(['admission.k8s.io/v1', 'admission.k8s.io/v1beta1', 'admission.orch.io/v1'])(
    'answers in the version of the review: %s',
    async (apiVersion) => {
      await using of = await start();
      const { hooks, post } = await serving(of);
      await using _closed = hooks;
      const [status, text] = await post(review({}, { apiVersion }));
      expect([status, JSON.parse(text)]).toEqual([
        200,
        { kind: 'AdmissionReview', apiVersion, response: { uid: 'u', allowed: true, auditAnnotations: { a: 'b' } } },
      ]);
    },
  );

  test('refuses what is not a review for it', async () => {
    await using of = await start();
    const { hooks, post } = await serving(of);
    await using _closed = hooks;
    const statusOf = async (...call: Parameters<typeof post>) => (await post(...call))[0];
    expect(await statusOf(review(), '/admission/other')).toBe(404);
    expect(await statusOf(review(), '/admission/yes', { method: 'PUT' })).toBe(405);
    expect(await statusOf(review(), '/admission/yes', { headers: { 'content-type': 'text/plain' } })).toBe(415);
    expect(await statusOf(review({ name: 'x'.repeat(3000) }))).toBe(413);
    expect(await post('{')).toEqual([400, expect.any(String)]);
    expect(await post('[]')).toEqual([400, 'the body is not an object\n']);
    expect(await post('{"kind":"AdmissionReview","kind":"AdmissionReview"}')).toEqual([
      400,
      'the body has a field more than once\n',
    ]);
    expect(await post({ ...review(), apiVersion: 'admission.k8s.io/v2' })).toEqual([
      400,
      'expected kind AdmissionReview in version v1 or v1beta1, got AdmissionReview in admission.k8s.io/v2\n',
    ]);
    expect(await post({ ...review(), request: null })).toEqual([400, 'the review has no request\n']);
    expect(await post(review({ uid: '' }))).toEqual([400, 'request.uid is empty\n']);
    expect(await post(review({ uid: 1 }))).toEqual([400, expect.stringContaining('request.uid of type types.UID')]);
    for (const wrong of [{ operation: 'READ' }, { object: [] }, { userInfo: { groups: 'all' } }, { kind: {} }])
      expect(await post(review(wrong))).toEqual([
        400,
        `request.${Object.keys(wrong)[0]} is missing or has another type\n`,
      ]);
    expect(await post(review(), '/admission/yes?timeout=soon')).toEqual([400, expect.stringContaining('timeout')]);
    expect(await statusOf(review(), '/admission/yes?timeout=0s')).toBe(400);
  });

  test.each([
    ['1s', '999ms'],
    ['5s', '1999ms'],
  ])('ends a function at the timeout of the caller or its own: %s', async (timeout, before) => {
    await using of = await start();
    const { hooks, post, called } = await serving(of);
    await using _closed = hooks;
    let answer: readonly [number, string] | undefined;
    const posting = post(review(), `/admission/never?timeout=${timeout}`).then((got) => (answer = got));
    await called;
    await of.clock.advance(before);
    expect(answer).toBeUndefined();
    await of.clock.advance('5s');
    await posting;
    expect(answer).toEqual([500, 'context deadline exceeded\n']);
  });
});
