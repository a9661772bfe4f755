import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definition, world, type Json, type World } from './world.js';

const ROCKETS = '/apis/example.com/v1/namespaces/default/rockets';
const ONE = `${ROCKETS}/one`;
const PLAIN_404 = { status: 404, body: '404 page not found\n' };
const rocket = (name: string, more: Json = {}): Json => ({
  apiVersion: 'example.com/v1',
  kind: 'Rocket',
  metadata: { name },
  spec: { size: 2 },
  ...more,
});

let own: World;
beforeAll(async () => {
  own = await world();
  await own.define(
    definition({
      subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
    }),
  );
  await own.define(definition({ plural: 'planets', kind: 'Planet', scope: 'Cluster' }));
  await own.send('POST', ROCKETS, rocket('one'));
}, 300_000);
afterAll(() => own[Symbol.asyncDispose]());

const failure = (code: number, reason: string, message: string, details?: Json): object => ({
  status: code,
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
    ...(details === undefined ? {} : { details }),
  },
});

describe('a path that no custom kind has', () => {
  it.each([
    ['GET', '/apis/example.com/v1/ships'],
    ['GET', '/apis/example.com/v2/rockets'],
    ['GET', '/apis/example.com/v1/rockets/one'],
    ['PUT', '/apis/example.com/v1/rockets/one'],
    ['POST', '/apis/example.com/v1/rockets'],
    ['DELETE', '/apis/example.com/v1/rockets'],
    ['GET', '/apis/example.com/v1/namespaces/default/planets'],
    ['GET', '/apis/nobody.example.com/v1/rockets'],
  ])('%s %s is no path', async (method, path) => {
    expect(await own.send(method, path, method === 'GET' ? undefined : rocket('one'))).toMatchObject(PLAIN_404);
  });

  it('is unknown in a group that has other kinds, too', async () => {
    await own.define(
      definition({
        group: 'certificates.k8s.io',
        plural: 'cables',
        kind: 'Cable',
        metadata: { annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/kubernetes/pull/1' } },
      }),
    );
    const unknown = failure(404, 'NotFound', 'the server could not find the requested resource', {});
    expect(await own.get('/apis/certificates.k8s.io/v1/cables')).toMatchObject({ status: 200 });
    expect(await own.get('/apis/certificates.k8s.io/v1/wires')).toMatchObject(unknown);
    expect(await own.get('/apis/certificates.k8s.io/v1/cables/one')).toMatchObject(unknown);
  });
});

describe('a method or subresource that the kind does not have', () => {
  const target = { group: 'example.com', kind: 'rockets' };
  it.each([
    ['POST', `${ONE}/status`, 'create'],
    ['DELETE', `${ONE}/status`, 'delete'],
    ['DELETE', `${ONE}/scale`, 'delete'],
    ['OPTIONS', ONE, ''],
  ])('%s %s', async (method, path, verb) => {
    expect(await own.send(method, path)).toMatchObject(
      failure(405, 'MethodNotAllowed', `${verb} is not supported on resources of kind "rockets.example.com"`, target),
    );
  });

  it('an unknown subresource is reported as the object', async () => {
    expect(await own.get(`${ONE}/log`)).toMatchObject(
      failure(404, 'NotFound', 'rockets.example.com "one" not found', { name: 'one', ...target }),
    );
  });

  it.each(['PUT', 'PATCH'])('%s needs a name', async (method) => {
    const headers = { 'content-type': method === 'PUT' ? 'application/json' : 'application/merge-patch+json' };
    expect(await own.send(method, ROCKETS, rocket('one'), headers)).toMatchObject(
      failure(400, 'BadRequest', 'name must be provided'),
    );
  });

  it('HEAD answers without a body', async () => {
    expect(await own.send('HEAD', ONE)).toMatchObject({ status: 200, body: '' });
    expect(await own.send('HEAD', `${ROCKETS}/two`)).toMatchObject({ status: 404 });
  });
});

describe('a path that only custom kinds have', () => {
  it('POST on a name creates the object of the body', async () => {
    expect(await own.send('POST', `${ROCKETS}/other`, rocket('posted'))).toMatchObject({
      status: 201,
      body: { metadata: { name: 'posted' } },
    });
  });

  it('words after a subresource are ignored', async () => {
    expect(await own.get(`${ONE}/status/more`)).toMatchObject({ status: 200, body: { kind: 'Rocket' } });
  });

  it('a list of all namespaces may select one name', async () => {
    const query = 'fieldSelector=metadata.name%3Done';
    expect(await own.get(`/apis/example.com/v1/rockets?${query}`)).toMatchObject({
      status: 200,
      body: { items: [{ metadata: { name: 'one' } }] },
    });
    expect(await own.get(`/apis/example.com/v1/planets?${query}`)).toMatchObject({ status: 200, body: { items: [] } });
  });

  it.each([
    '/apis/example.com/v1/rockets?watch=true',
    '/apis/example.com/v1/watch/rockets',
    '/apis/example.com/v1/watch/rockets/one',
    '/apis/example.com/v1/watch/namespaces/default/rockets/one',
    `${ROCKETS}?watch=true&fieldSelector=metadata.name%3Done`,
  ])('%s is a watch', async (path) => {
    const separator = path.includes('?') ? '&' : '?';
    expect(await own.watch(`${path}${separator}timeoutSeconds=1`)).toMatchObject({
      type: 'ADDED',
      object: { kind: 'Rocket', metadata: { name: 'one' } },
    });
  });
});

describe('media types', () => {
  const patchTypes = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
  it.each([ONE, `${ONE}/status`, `${ONE}/scale`])('%s takes no strategic merge patch', async (path) => {
    expect(
      await own.send('PATCH', path, { spec: {} }, { 'content-type': 'application/strategic-merge-patch+json' }),
    ).toMatchObject(
      failure(
        415,
        'UnsupportedMediaType',
        `the body of the request was in an unknown format - accepted media types include: ${patchTypes}`,
      ),
    );
  });

  it.each([ONE, ROCKETS, `${ONE}/status`, `${ONE}/scale`])('%s has no protobuf', async (path) => {
    // A failure has protobuf.
    expect(await own.get(path, { accept: 'application/vnd.kubernetes.protobuf' })).toMatchObject({
      status: 406,
      body: expect.stringContaining(
        'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      ) as string,
    });
    expect(await own.get(path, { accept: 'application/vnd.kubernetes.protobuf, application/json' })).toMatchObject({
      status: 200,
      body: { apiVersion: expect.any(String) as string },
    });
  });

  it('a body in protobuf cannot be read', async () => {
    const field = (number: number, bytes: readonly number[]): number[] => [number * 8 + 2, bytes.length, ...bytes];
    const words = (word: string): number[] => [...new TextEncoder().encode(word)];
    const type = [...field(1, words('example.com/v1')), ...field(2, words('Rocket'))];
    const body = Uint8Array.of(0x6b, 0x38, 0x73, 0, ...field(1, type), ...field(2, []));
    expect(
      await own.send('POST', ROCKETS, body, { 'content-type': 'application/vnd.kubernetes.protobuf' }),
    ).toMatchObject(
      failure(
        400,
        'BadRequest',
        "Rocket in version \"v1\" cannot be handled as a Rocket: Object 'Kind' is missing in 'object has no kind field '",
      ),
    );
  });

  it('a body in YAML is read', async () => {
    const yaml = 'apiVersion: example.com/v1\nkind: Rocket\nmetadata: {name: yaml}\nspec: {size: 3}\n';
    expect(await own.send('POST', ROCKETS, yaml, { 'content-type': 'application/yaml' })).toMatchObject({
      status: 201,
      body: { spec: { size: 3 } },
    });
  });
});

describe('kind and version of a body', () => {
  it('a kind is required', async () => {
    const body = '{"apiVersion":"example.com/v1","metadata":{"name":"a"}}';
    const missing = `Object 'Kind' is missing in '${body}'`;
    expect(await own.send('POST', ROCKETS, body)).toMatchObject(
      failure(
        400,
        'BadRequest',
        `the object provided is unrecognized (must be of type Rocket): ${missing} ({"apiVersion":"example.com/v1" ...)`,
      ),
    );
    expect(await own.send('POST', `${ROCKETS}?fieldValidation=Ignore`, body)).toMatchObject(
      failure(400, 'BadRequest', `Rocket in version "v1" cannot be handled as a Rocket: ${missing}`),
    );
  });

  it('a long body without a kind is not shown', async () => {
    const body = JSON.stringify({ apiVersion: 'example.com/v1', metadata: { name: 'a' }, spec: 'x'.repeat(20_000) });
    const shown = "Object 'Kind' is missing in '… (more than 16,384 characters)'";
    expect(await own.send('POST', `${ROCKETS}?fieldValidation=Ignore`, body)).toMatchObject(
      failure(400, 'BadRequest', `Rocket in version "v1" cannot be handled as a Rocket: ${shown}`),
    );
  });

  it.each(['', 'v1', 'example.com/v2', 'other.example.com/v1'])('the version %j is refused', async (apiVersion) => {
    expect(await own.send('POST', ROCKETS, rocket('a', { apiVersion }))).toMatchObject(
      failure(
        400,
        'BadRequest',
        `the API version in the data (${apiVersion}) does not match the expected API version (example.com/v1)`,
      ),
    );
  });

  it('another kind is invalid', async () => {
    expect(await own.send('POST', ROCKETS, rocket('a', { kind: 'Ship' }))).toMatchObject(
      failure(422, 'Invalid', 'Ship.example.com "a" is invalid: kind: Invalid value: "Ship": must be Rocket'),
    );
  });
});

describe('a definition that is being deleted', () => {
  it('lets no object be created, until the paths are gone', async () => {
    const ships = '/apis/sea.example.com/v1/namespaces/default/ships';
    await own.define(
      definition({
        group: 'sea.example.com',
        plural: 'ships',
        kind: 'Ship',
      }),
    );
    const ship = { apiVersion: 'sea.example.com/v1', kind: 'Ship' };
    const metadata = { name: 'a', finalizers: ['example.com/wait'] };
    expect(await own.send('POST', ships, { ...ship, metadata })).toMatchObject({ status: 201 });
    await own.remove('ships.sea.example.com');
    expect(await own.send('POST', ships, { ...ship, metadata: { name: 'b' } })).toMatchObject(
      failure(405, 'MethodNotAllowed', 'create not allowed while custom resource definition is terminating', {
        group: 'sea.example.com',
        kind: 'ships',
      }),
    );
    expect(await own.get(ships)).toMatchObject({ status: 200 });
    await own.send(
      'PATCH',
      `${ships}/a`,
      { metadata: { finalizers: null } },
      { 'content-type': 'application/merge-patch+json' },
    );
    await own.test.advance(600_000);
    expect(await own.get(ships)).toMatchObject(PLAIN_404);
    expect(await own.send('DELETE', ships)).toMatchObject(PLAIN_404);
  });
});
