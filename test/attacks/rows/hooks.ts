/** Answers of webhooks that the attacker runs: of conversion and of admission. */
import type { Client } from '../client.js';
import { HookServer, type Hook } from '../hook-server.js';
import { ANYTHING, configMap, definition, GROUP, MAPS, pathOf, thing } from '../kinds.js';
import type { Answer, Row } from '../row.js';
import { nested, once, repeated } from '../texts.js';
import type { World } from '../world.js';

const MIB = 1024 * 1024;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs requests while a hook answers the server. */
async function beside(hook: Hook, run: (server: HookServer) => Promise<readonly Answer[]>): Promise<readonly Answer[]> {
  const server = await HookServer.start(hook);
  try {
    return await run(server);
  } finally {
    server.stop();
  }
}

/** The beginning of a review of conversion up to the objects. */
const converted = (uid: string): string =>
  `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"${uid}","result":{"status":"Success"},"convertedObjects":[`;

/** A conversion whose answer has an object with more members than the one that was sent. */
const conversion = (members: () => string): Hook => {
  const made = once(members);
  return ({ uid, objects }, response) => {
    const texts = objects.map(
      ({ metadata }) =>
        `{"apiVersion":"${GROUP}/v2","kind":"Thing","metadata":${JSON.stringify(metadata)},"spec":{${made()}}}`,
    );
    response.end(`${converted(uid)}${texts.join(',')}]}}`);
  };
};

/** Answers to a conversion. */
const CONVERSIONS: Readonly<Record<string, Hook>> = {
  'of 60 MB of text': conversion(() => `"x":"${'a'.repeat(60 * MIB)}"`),
  'of 15 MB of text': conversion(() => `"x":"${'a'.repeat(15 * MIB)}"`),
  'of 12 MB of lists': conversion(() => `"x":[${repeated('[[0]],', 12 * MIB)}0]`),
  'of 3 MB of objects': conversion(() => `"x":[${repeated('{},', 3 * MIB)}0]`),
  'of 3 MB of own keys': conversion(
    () => `"x":[${Array.from({ length: 150_000 }, (_, i) => `{"k${i}":0}`).join(',')}]`,
  ),
  'nested 50,000 deep': conversion(() => `"x":${nested('[', '0', ']', 50_000)}`),
  'with a million objects': ({ uid }, response) => response.end(`${converted(uid)}${repeated('{},', 3_000_000)}{}]}}`),
  'that does not end': (_, response) => {
    const timer = setInterval(() => response.write(' '.repeat(1024)), 20);
    response.on('close', () => clearInterval(timer));
  },
  'that ends in the middle': ({ uid }, response) => {
    response.write(converted(uid) + '{'.repeat(100_000));
    setTimeout(() => response.destroy(), 50);
  },
  'with a long message': ({ uid }, response) =>
    response.end(
      `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"${uid}","result":{"status":"Failed","message":"${'no '.repeat(3 * MIB)}"}}}`,
    ),
};

/** Defines a kind whose version `v2` a webhook converts, and creates objects of it. @returns the path of `v2` */
async function defineConverted(client: Client, server: HookServer, count: number, spec: string): Promise<string> {
  const made = definition(ANYTHING, {}, 'things', {
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig: server.clientConfig, conversionReviewVersions: ['v1'] },
    },
  }) as { readonly spec: { readonly versions: readonly object[] } };
  const versions = [...made.spec.versions, { ...made.spec.versions[0], name: 'v2', storage: false }];
  await client.must({
    ...{ method: 'POST', path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions' },
    body: JSON.stringify({ ...made, spec: { ...made.spec, versions } }),
  });
  for (let tries = 0; tries < 100 && (await client.send({ method: 'GET', path: pathOf() })).status !== 200; tries += 1)
    await pause(50);
  for (let index = 0; index < count; index += 1)
    await client.must({ method: 'POST', path: pathOf(), body: thing(`o${index}`, spec) });
  return pathOf().replace('/v1/', '/v2/');
}

async function convert(
  world: World,
  server: HookServer,
  signal: AbortSignal,
  times: number,
): Promise<readonly Answer[]> {
  const client = world.as('define').until(signal);
  const path = await defineConverted(client, server, 3, '{"a":1}');
  return client.flood({ request: { method: 'GET', path }, times });
}

/** Answers a review with the objects as they are, in the other version. */
const renamed: Hook = ({ uid, objects }, response) =>
  response.end(
    `${converted(uid)}${objects.map((object) => JSON.stringify({ ...object, apiVersion: `${GROUP}/v2` })).join(',')}]}}`,
  );

/** Watches of a version that a webhook converts. */
interface ConvertedWatches {
  readonly watches: number;
  readonly objects: number;
  readonly bytes: number;
  readonly updates: number;
  readonly query?: string;
  readonly accept?: string;
}

const INITIAL = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

const CONVERTED_WATCHES: Readonly<Record<string, ConvertedWatches>> = {
  '200 watches that begin with 500 converted objects': {
    ...{ watches: 200, objects: 500, bytes: 1_000, updates: 0 },
    query: INITIAL,
  },
  '200 watches of converted objects under 400 updates of 20 KB': {
    ...{ watches: 200, objects: 50, bytes: 1_000, updates: 400 },
  },
  '100 watches of converted objects as Tables under 200 updates of 20 KB': {
    ...{ watches: 100, objects: 50, bytes: 1_000, updates: 200 },
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  },
  '20 watches that begin with 30 converted objects of 1 MB': {
    ...{ watches: 20, objects: 30, bytes: 1_000_000, updates: 0 },
    query: INITIAL,
  },
};

const convertedWatches = Object.entries(CONVERTED_WATCHES).map(
  ([name, { watches, objects, bytes, updates, query = '', accept }]): Row => ({
    name,
    rights: 'define',
    flags: ['--feature-gates=WatchList=true'],
    sends: (world, signal) =>
      beside(renamed, async (server) => {
        const client = world.as('define').until(signal);
        const path = await defineConverted(client, server, objects, `{"a":"${'x'.repeat(bytes)}"}`);
        const watching = client.flood({
          request: { method: 'GET', path: `${path}?watch=1${query}`, ...(accept === undefined ? {} : { accept }) },
          ...{ times: watches, reading: 'stream' },
        });
        await pause(500);
        const written = await client.flood({
          request: (index) => ({
            ...{ method: 'PATCH', path: `${pathOf()}/o${index % objects}`, type: 'application/merge-patch+json' },
            body: `{"spec":{"a":"${String(index % 10).repeat(20_000)}"}}`,
          }),
          ...{ times: updates, atOnce: 8 },
        });
        return [...(await watching), ...written];
      }),
    statuses: [0, 200],
    keepsMb: 128,
  }),
);

const conversions = Object.entries(CONVERSIONS).flatMap(([name, hook]): Row[] =>
  [1, 6].map((times): Row => ({
    name: `a conversion answer ${name}, ${times}`,
    rights: 'define',
    sends: (world, signal) => beside(hook, (server) => convert(world, server, signal, times)),
    statuses: [200, 500],
  })),
);

const admitted = (uid: string, members: string): string =>
  `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"${uid}","allowed":true${members}}}`;

/** A refusal with more members of its Status. */
const refused = (uid: string, members: string): string =>
  `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"${uid}","allowed":false,"status":{"code":403,${members}}}}`;

const patched = (operations: () => string): Hook => {
  const patch = once(() => Buffer.from(operations()).toString('base64'));
  return ({ uid }, response) => response.end(admitted(uid, `,"patchType":"JSONPatch","patch":"${patch()}"`));
};

/** Answers to an admission review. */
const ADMISSIONS: Readonly<Record<string, Hook>> = {
  'with a patch of 10 MB': patched(() => `[{"op":"add","path":"/data","value":{"a":"${'a'.repeat(10 * MIB)}"}}]`),
  'with 100,000 operations': patched(
    () =>
      `[${repeated('{"op":"test","path":"/kind","value":"ConfigMap"},', 5 * MIB)}{"op":"test","path":"/kind","value":"ConfigMap"}]`,
  ),
  'with 10,000 insertions': patched(
    () => `[${Array.from({ length: 9_999 }, () => '{"op":"add","path":"/data/b","value":"c"}').join(',')}]`,
  ),
  'with a patch of lists': patched(() => `[{"op":"add","path":"/data","value":[${repeated('[[0]],', 2 * MIB)}0]}]`),
  'with 100,000 warnings': ({ uid }, response) =>
    response.end(admitted(uid, `,"warnings":[${repeated('"careful",', MIB)}"end"]`)),
  'with 100,000 annotations': ({ uid }, response) =>
    response.end(
      admitted(uid, `,"auditAnnotations":{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":"v"`).join(',')}}`),
    ),
  'of 60 MB': ({ uid }, response) => response.end(admitted(uid, `,"x":"${'a'.repeat(60 * MIB)}"`)),
  'that refuses for 180,000 causes': ({ uid }, response) =>
    response.end(refused(uid, `"details":{"causes":[${repeated('{"field":"a"},', 2.4 * MIB)}{}]}`)),
  'that refuses with 90,000 members': ({ uid }, response) =>
    response.end(refused(uid, `"details":{${Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`).join(',')}}`)),
  'that refuses with a message of 10 MB': ({ uid }, response) =>
    response.end(refused(uid, `"message":"${'no\\n'.repeat(2 * MIB)}"`)),
  'that does not come': () => undefined,
};

async function admit(world: World, server: HookServer, signal: AbortSignal, times: number): Promise<readonly Answer[]> {
  const client = world.as('define').until(signal);
  await client.must({
    ...{ method: 'POST', path: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations' },
    body: JSON.stringify({
      metadata: { name: 'attack' },
      webhooks: [
        {
          ...{
            name: 'hook.attack.example.com',
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            timeoutSeconds: 3,
          },
          clientConfig: server.clientConfig,
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'attack' } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
        },
      ],
    }),
  });
  await pause(300);
  return client.flood({
    request: (index) => ({ method: 'POST', path: MAPS, body: configMap(`m${index}`, { a: 'b' }) }),
    times,
  });
}

const admission = (name: string, hook: Hook, times: number): Row => ({
  name: `an admission answer ${name}, ${times}`,
  rights: 'define',
  sends: (world, signal) => beside(hook, (server) => admit(world, server, signal, times)),
  statuses: [201, 400, 403, 413, 422, 500],
});

const admissions = Object.entries(ADMISSIONS).flatMap(([name, hook]): Row[] =>
  [1, 12].map((times) => admission(name, hook, times)),
);

const MANY_ANNOTATIONS: Hook = ({ uid }, response) =>
  response.end(
    admitted(uid, `,"auditAnnotations":{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":"é"`).join(',')}}`),
  );

/** Annotations for an audit log. */
export const annotations: Row = admission('with 60,000 annotations', MANY_ANNOTATIONS, 12);

/** Objects that a webhook is sent: each is encoded for each of many webhooks. */
const many: Row = {
  name: '50 webhooks and objects of 1 MB, four at once',
  rights: 'define',
  sends: (world, signal) =>
    beside(
      ({ uid }, response) => response.end(admitted(uid, '')),
      async (server) => {
        const client = world.as('define').until(signal);
        const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }];
        const webhooks = Array.from({ length: 50 }, (_, i) => ({
          ...{ name: `hook${i}.attack.example.com`, sideEffects: 'None', admissionReviewVersions: ['v1'], rules },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'attack' } },
          clientConfig: server.clientConfig,
        }));
        await client.must({
          ...{ method: 'POST', path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations' },
          body: JSON.stringify({ metadata: { name: 'attack' }, webhooks }),
        });
        await pause(300);
        const body = (index: number): string => configMap(`m${index}`, { a: 'b\n'.repeat(500_000) });
        return client.flood({ request: (index) => ({ method: 'POST', path: MAPS, body: body(index) }), times: 4 });
      },
    ),
  statuses: [201, 500],
  keepsMb: 16,
};

/** The rows. */
export const hooks: readonly Row[] = [...conversions, ...convertedWatches, ...admissions, many];
