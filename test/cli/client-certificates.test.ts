/** `--client-ca-file` and the `--requestheader-*` flags, over real TLS. */
import { execFile } from 'node:child_process';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/foundation/index.js';
import { authority, client, CN, DAY, O, type Identity, type Order } from '../security/pki/support/issue.js';
import { asOwner, authorityOf, ServingTests, stop, today, whoami, type Serving } from './serving.js';

const now = systemClock.now();
const valid = { notBefore: now - DAY, notAfter: now + DAY };
const person = (subject: Order['subject'], by: Identity): Identity => client(subject, by, valid);

const users = authority('users', valid);
const others = authority('others', valid);
const frontProxy = authority('front proxy', valid);
const alice = person([O('dev'), O('system:masters'), CN('alice')], users);
const proxy = person('proxy', frontProxy);

const tests = new ServingTests();
const secure = ['--secure-port=auto'];

/** Name of the user of a request with a certificate, or the status of the refusal. */
async function nameOf(
  server: Serving,
  identity?: Identity,
  headers: Readonly<Record<string, string>> = {},
): Promise<string | number> {
  const user = await whoami(server.https, headers, {
    ca: authorityOf(server),
    ...(identity === undefined ? {} : { cert: identity.pem, key: identity.keyPem }),
  });
  return typeof user === 'number' ? user : user.username;
}

describe('--client-ca-file', () => {
  it('authenticates certificate holders, and rejects others with an answer, not in the handshake', async () => {
    const file = await tests.file('users.crt', users.pem + others.pem);
    const server = await tests.start([...secure, `--client-ca-file=${file}`], today());
    expect(await whoami(server.https, {}, { ca: authorityOf(server), cert: alice.pem, key: alice.keyPem })).toEqual({
      username: 'alice',
      groups: ['dev', 'system:masters', 'system:authenticated'],
    });
    expect(await nameOf(server, person('bob', others))).toBe('bob');
    expect(await nameOf(server, person('eve', authority('strangers', valid)))).toBe(401);
    expect(await nameOf(server)).toBe(403);
    expect((await asOwner<{ items: object[] }>(server, 'GET', '/api/v1/namespaces')).items).toHaveLength(4);
    expect(
      server.host.log().find(({ message }) => message === 'unable to authenticate the request')?.['reason'],
    ).toMatch(/^verifying certificate SN=\d+, SKID=.* failed: x509: certificate signed by unknown authority/);
  });

  it('requests a certificate in the handshake, and names no authority', async () => {
    const file = await tests.file('users.crt', users.pem);
    const server = await tests.start([...secure, `--client-ca-file=${file}`], today());
    const { host } = new URL(server.https);
    const answer = promisify(execFile)('openssl', ['s_client', '-connect', host, '-tls1_2'], { encoding: 'utf8' });
    answer.child.stdin?.end();
    const { stdout } = await answer;
    expect(stdout).toContain('No client certificate CA names sent');
    expect(stdout).toContain('Client Certificate Types:');
  });

  it('without it a certificate has no effect', async () => {
    const server = await tests.start(secure, today());
    expect(await nameOf(server, alice)).toBe(403);
  });

  it('is reloaded when it is replaced; an invalid or empty file changes nothing', async () => {
    const file = await tests.file('users.crt', users.pem);
    const server = await tests.start([...secure, `--client-ca-file=${file}`], today());
    const name = `CA bundle client-ca-bundle::${file}`;
    const carol = person('carol', others);
    expect([await nameOf(server, alice), await nameOf(server, carol)]).toEqual(['alice', 401]);

    await tests.replace(file, others.pem);
    await server.host.logged(`reloaded ${name}`);
    expect([await nameOf(server, alice), await nameOf(server, carol)]).toEqual([401, 'carol']);

    await tests.replace(file, 'no authorities\n');
    const bad = await server.host.logged(`failed to load ${name}`);
    expect(bad['error']).toBe(
      `error loading CA bundle for "client-ca-bundle::${file}": data does not contain any valid RSA or ECDSA certificates`,
    );
    await writeFile(file, '');
    const empty = await server.host.logged(`failed to load ${name}`, 2);
    expect(empty['error']).toBe(`missing content for CA bundle "client-ca-bundle::${file}"`);
    expect([await nameOf(server, alice), await nameOf(server, carol)]).toEqual([401, 'carol']);

    await tests.replace(file, users.pem);
    await server.host.logged(`reloaded ${name}`, 2);
    expect([await nameOf(server, alice), await nameOf(server, carol)]).toEqual(['alice', 401]);
  });

  it('is reloaded when the directory that it links into is replaced', async () => {
    const folder = join(tests.directory, 'mounted');
    for (const [name, pem] of [
      ['..1', users.pem],
      ['..2', others.pem],
    ] as const) {
      await mkdir(join(folder, name), { recursive: true });
      await writeFile(join(folder, name, 'ca.crt'), pem);
    }
    await symlink('..1', join(folder, '..data'));
    await symlink('..data/ca.crt', join(folder, 'ca.crt'));
    const server = await tests.start([...secure, `--client-ca-file=${folder}/ca.crt`], today());
    await symlink('..2', join(folder, '..next'));
    await rename(join(folder, '..next'), join(folder, '..data'));
    await server.host.logged(`reloaded CA bundle client-ca-bundle::${folder}/ca.crt`);
    expect(await nameOf(server, person('dave', others))).toBe('dave');
  });

  it('is read every minute if changes are not reported', async () => {
    const target = await tests.file('elsewhere.crt', users.pem);
    const folder = join(tests.directory, 'links');
    await mkdir(folder);
    const file = join(folder, 'ca.crt');
    await symlink(target, file);
    const server = await tests.start([...secure, `--client-ca-file=${file}`], today());
    await tests.replace(target, others.pem);
    expect(await nameOf(server, alice)).toBe('alice');
    await server.host.clock.advance(60_000);
    await server.host.logged(`reloaded CA bundle client-ca-bundle::${file}`);
    expect(await nameOf(server, alice)).toBe(401);
  });

  it('is watched only while the server runs', async () => {
    const file = await tests.file('users.crt', users.pem);
    const server = await tests.start([...secure, `--client-ca-file=${file}`], today());
    expect(await stop(server)).toBe(0);
    await tests.replace(file, 'no authorities\n');
    await server.host.clock.advance(120_000);
    expect(server.host.log().map(({ message }) => message)).toEqual(['serving', 'ending', 'ended']);
  });
});

describe('--requestheader-*', () => {
  const ADMIN = { 'x-remote-user': 'carol', 'x-remote-group': 'team', 'x-remote-extra-scopes': 'all' };

  it('lets the proxy, and no other client, name the user', async () => {
    const files = [
      `--requestheader-client-ca-file=${await tests.file('proxy.crt', frontProxy.pem)}`,
      `--client-ca-file=${await tests.file('users.crt', users.pem)}`,
    ];
    const server = await tests.start([...secure, ...files], today());
    expect(await whoami(server.https, ADMIN, { ca: authorityOf(server), cert: proxy.pem, key: proxy.keyPem })).toEqual({
      username: 'carol',
      groups: ['team', 'system:authenticated'],
      extra: { scopes: ['all'] },
    });
    expect(await nameOf(server, alice, ADMIN)).toBe('alice');
    expect(await nameOf(server, undefined, ADMIN)).toBe(403);
  });

  it('reads the configured headers, from the allowed names', async () => {
    const file = await tests.file('proxy.crt', frontProxy.pem);
    const server = await tests.start(
      [
        ...secure,
        `--requestheader-client-ca-file=${file}`,
        '--requestheader-allowed-names=aggregator,proxy',
        '--requestheader-username-headers',
        'X-Nobody,X-User',
        '--requestheader-group-headers=X-Team',
        '--requestheader-group-headers=X-Company',
        '--requestheader-extra-headers-prefix=X-More-',
      ],
      today(),
    );
    const headers = { ...ADMIN, 'x-user': 'dave', 'x-team': 'a', 'x-company': 'b', 'x-more-scopes': 'some' };
    expect(
      await whoami(server.https, headers, { ca: authorityOf(server), cert: proxy.pem, key: proxy.keyPem }),
    ).toEqual({
      username: 'dave',
      groups: ['a', 'b', 'system:authenticated'],
      extra: { scopes: ['some'] },
    });
    expect(await nameOf(server, person('impostor', frontProxy), headers)).toBe(401);
    expect(
      server.host
        .log()
        .slice(0, 3)
        .map(({ message }) => message),
    ).toEqual([
      '--requestheader-username-headers is set without specifying the standard X-Remote-User header - API aggregation will not work',
      '--requestheader-group-headers is set without specifying the standard X-Remote-Group header - API aggregation will not work',
      '--requestheader-extra-headers-prefix is set without specifying the standard X-Remote-Extra- header prefix - API aggregation will not work',
    ]);
  });

  it('reloads its authorities too', async () => {
    const file = await tests.file('proxy.crt', others.pem);
    const server = await tests.start([...secure, `--requestheader-client-ca-file=${file}`], today());
    expect(await nameOf(server, proxy, ADMIN)).toBe(401);
    await tests.replace(file, frontProxy.pem);
    await server.host.logged(`reloaded CA bundle request-header::${file}`);
    expect(await nameOf(server, proxy, ADMIN)).toBe('carol');
  });
});
