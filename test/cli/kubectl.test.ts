/** The real command-line tool as users defined by the authentication flags. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { systemClock } from '../../src/foundation/index.js';
import { Kubectl, toolMinor } from '../conformance/kubectl/kubectl.js';
import { startServer, type ServerProcess } from '../conformance/kubectl/server.js';
import { authority, client, CN, DAY, O, type Order } from '../security/pki/support/issue.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe.skipIf(toolMinor === undefined)('kubectl', () => {
  const minor = toolMinor ?? 0;
  const now = systemClock.now();
  const valid = { notBefore: now - DAY, notAfter: now + DAY };
  const users = authority('users', valid);
  let directory: string;
  let server: ServerProcess;
  let kubectl: Kubectl;
  let asAlice: string;

  /** A kubeconfig like the administrator's, with other credentials. */
  async function configOf(name: string, user: object): Promise<string> {
    const config = parse(await readFile(server.kubeconfig, 'utf8')) as { users: { user: object }[] };
    const path = join(directory, `${name}.yaml`);
    await writeFile(path, stringify({ ...config, users: config.users.map((entry) => ({ ...entry, user })) }));
    return path;
  }

  const certificateOf = (subject: Order['subject']): object => {
    const { pem, keyPem } = client(subject, users, valid);
    return { 'client-certificate-data': base64(pem), 'client-key-data': base64(keyPem) };
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cli-kubectl-'));
    await writeFile(join(directory, 'users.crt'), users.pem);
    server = await startServer([
      '--dialect=kubernetes',
      '--insecure-loopback-port=0',
      `--client-ca-file=${directory}/users.crt`,
    ]);
    kubectl = new Kubectl(server);
    asAlice = await configOf('alice', certificateOf([O('system:masters'), CN('alice')]));
  }, 300_000);

  afterAll(async () => {
    // Undefined if it did not start.
    if (kubectl !== undefined) expect(await server.stop()).toBe(0);
    await rm(directory, { recursive: true });
  }, 300_000);

  it('presents a client certificate, and acts as its user', async () => {
    expect(await kubectl.ok('get namespaces -o name', { env: { KUBECONFIG: asAlice } })).toContain(
      'namespace/default\n',
    );
    const asBob = await configOf('bob', certificateOf('bob'));
    expect(await kubectl.fails('get namespaces', { env: { KUBECONFIG: asBob } })).toContain(
      'namespaces is forbidden: User "bob" cannot list resource "namespaces" in API group "" at the cluster scope',
    );
  });

  it.skipIf(minor < 24)('create token issues a valid token', async () => {
    await kubectl.ok('create serviceaccount robot');
    const token = (await kubectl.ok('create token robot --duration=1h')).trim();
    expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      sub: 'system:serviceaccount:default:robot',
      iss: 'https://kubernetes.default.svc.cluster.local',
    });
    const env = { KUBECONFIG: await configOf('robot', { token }) };
    expect(await kubectl.fails('get pods', { env })).toContain(
      'pods is forbidden: User "system:serviceaccount:default:robot" cannot list resource "pods" in API group "" in the namespace "default"',
    );
    await kubectl.ok('delete serviceaccount robot');
    expect(await kubectl.fails('get pods', { env })).toMatch(/Unauthorized|must be logged in/);
  });

  it.skipIf(minor < 28)('auth whoami names the user', async () => {
    const whoami = async (env: Readonly<Record<string, string>> = {}): Promise<unknown> =>
      (JSON.parse(await kubectl.ok('auth whoami -o json', { env })) as { status: { userInfo: unknown } }).status
        .userInfo;
    expect(await whoami()).toEqual({
      username: 'system:apiserver',
      groups: ['system:masters', 'system:authenticated'],
    });
    expect(await whoami({ KUBECONFIG: asAlice })).toMatchObject({
      username: 'alice',
      groups: ['system:masters', 'system:authenticated'],
    });
  });
});
