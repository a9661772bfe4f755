import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { createConnection, loadKubeConfig } from '../../../src/client/kubeconfig/index.js';
import type { JsonObject } from '../../../src/foundation/index.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { nodeHttpClient } from '../../../src/transport/node/outbound/http-client.js';
import { toolMinor } from '../../conformance/kubectl/kubectl.js';
import {
  afterTest,
  base64,
  clientIdentity,
  configOf,
  Folder,
  startServer,
  type Identity,
  type Seen,
} from './workshop.js';

const V1 = 'client.authentication.k8s.io/v1';
const V1BETA1 = 'client.authentication.k8s.io/v1beta1';

let jane: Identity;

beforeAll(() => {
  jane = clientIdentity('jane');
});

/** The error of the tool when `get --raw` fails with this configuration; empty if it does not. */
async function kubectl(folder: Folder, config: string): Promise<string> {
  const child = spawn(process.env['KUBECTL'] ?? 'kubectl', ['--kubeconfig', config, 'get', '--raw', '/version?a=b'], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder.path, SHARED: 'yes', WHO: 'theirs' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return Buffer.concat(chunks).toString().trimEnd();
}

/** The same for this client. */
async function ours(folder: Folder, config: string): Promise<string> {
  const http = nodeHttpClient();
  afterTest(() => http.close());
  try {
    const env = { PATH: process.env['PATH'], HOME: folder.path, SHARED: 'yes', WHO: 'ours' };
    const connection = await createConnection(await loadKubeConfig({ explicitPath: config, dialect: kubernetes }), {
      http,
      dialect: kubernetes,
      exec: { env, stdinIsTerminal: () => false, stderr: () => undefined },
    });
    await connection.request({ path: '/version?a=b' });
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The parts of a request that the configuration determines. */
function identityOf({ method, url, headers, commonName, serverName }: Seen): JsonObject {
  const named = Object.entries(headers)
    .filter(([name]) => name === 'authorization' || name.startsWith('impersonate-'))
    .map(([name, value]) => [name, String(value)] as const);
  return {
    method: method ?? '',
    url: url ?? '',
    commonName: commonName ?? '',
    serverName: String(serverName),
    ...Object.fromEntries(named.sort()),
  };
}

/** The requests of the tests; some builds of the tool first request the server's version. */
const asked = (seen: readonly Seen[]): readonly Seen[] => seen.filter(({ url }) => url?.endsWith('?a=b') === true);

/** The first release whose plugins and messages are those of 1.31. */
const FIRST_MINOR = 26;

describe.skipIf((toolMinor ?? 0) < FIRST_MINOR)('kubectl since 1.26, with the same configuration', () => {
  const pair = (): JsonObject => ({
    'client-certificate-data': base64(jane.certificate),
    'client-key-data': base64(jane.key),
  });

  test.each<readonly [string, () => JsonObject, JsonObject]>([
    ['a token', () => ({ token: 'abc' }), {}],
    ['user name and password', () => ({ username: 'jörg', password: 'ä:b' }), {}],
    ['a client certificate', pair, { 'tls-server-name': 'api.example' }],
    ['a certificate and a token', () => ({ ...pair(), token: 'abc' }), {}],
    ['a token file and a token', () => ({ token: 'abc', tokenFile: 'token' }), {}],
    [
      'impersonation',
      () => ({
        token: 'abc',
        as: 'jörg',
        'as-uid': '7',
        'as-groups': ['dev'],
        'as-user-extra': { 'acme.example/a b%': ['x'] },
      }),
      {},
    ],
    [
      'a token beside a plugin',
      () => ({ token: 'abc', exec: { apiVersion: V1, command: '/none', interactiveMode: 'Never' } }),
      {},
    ],
  ])('sends the same with %s', { timeout: 60_000 }, async (_, user, cluster) => {
    const { url, ca, seen } = await startServer();
    const folder = new Folder();
    folder.write('token', 'from the file\n');
    const config = folder.config(
      'config',
      configOf({ server: url, 'certificate-authority-data': base64(ca), ...cluster }, user()),
    );
    expect([await kubectl(folder, config), await ours(folder, config)]).toEqual(['', '']);
    const [theirs, mine, ...more] = asked(seen).map(identityOf);
    expect(mine).toEqual(theirs);
    expect(more).toEqual([]);
  });

  const input = `#!/bin/sh
printf '%s' "$KUBERNETES_EXEC_INFO" > "$0.$WHO.input"
echo "$# $1 $2 $OWN $SHARED" > "$0.$WHO.rest"
echo '{"apiVersion":"'$VERSION'","kind":"ExecCredential","status":{"token":"abc"}}'
`;

  test.each<readonly [string, JsonObject, JsonObject]>([
    ['in v1', { apiVersion: V1, interactiveMode: 'Never' }, {}],
    ['in v1beta1, without an interactive mode', { apiVersion: V1BETA1 }, {}],
    ['with arguments', { apiVersion: V1, interactiveMode: 'IfAvailable', args: ['a b', '$HOME'] }, {}],
    ['with the cluster', { apiVersion: V1, interactiveMode: 'Never', provideClusterInfo: true }, {}],
    [
      'with every field of a cluster',
      { apiVersion: V1BETA1, provideClusterInfo: true },
      {
        'tls-server-name': 'localhost',
        'disable-compression': true,
        extensions: [
          { name: 'client.authentication.k8s.io/exec', extension: { z: '<&>\u2028ü', a: [1, 2.5, null, true], m: {} } },
        ],
      },
    ],
  ])('runs a plugin %s, and gives it the same input to the byte', { timeout: 60_000 }, async (_, exec, cluster) => {
    const { url, ca, seen } = await startServer();
    const folder = new Folder();
    mkdirSync(folder.join('bin'));
    folder.script('bin/plugin', input);
    const env = [
      { name: 'VERSION', value: exec['apiVersion'] ?? '' },
      { name: 'OWN', value: 'mine' },
      { name: 'SHARED', value: 'over' },
    ];
    const config = folder.config(
      'config',
      configOf(
        { server: `${url}/base/?q=1`, 'certificate-authority-data': base64(ca), ...cluster },
        { exec: { command: './bin/plugin', env, ...exec } },
      ),
    );
    expect([await kubectl(folder, config), await ours(folder, config)]).toEqual(['', '']);
    expect(asked(seen).map(({ headers }) => headers.authorization)).toEqual(['Bearer abc', 'Bearer abc']);
    expect(folder.read('bin/plugin.ours.input')).toBe(folder.read('bin/plugin.theirs.input'));
    expect(folder.read('bin/plugin.ours.rest')).toBe(folder.read('bin/plugin.theirs.rest'));
  });

  test.each<readonly [string, string, JsonObject]>([
    ['fails', 'exit 3', {}],
    [
      'answers with another version',
      `echo '{"apiVersion":"${V1BETA1}","kind":"ExecCredential","status":{"token":"abc"}}'`,
      {},
    ],
    ['answers nothing usable', `echo '{"apiVersion":"${V1}","kind":"ExecCredential","status":{}}'`, {}],
    ['answers without a status', `echo '{"apiVersion":"${V1}","kind":"ExecCredential"}'`, {}],
    [
      'answers with a key only',
      `echo '{"apiVersion":"${V1}","kind":"ExecCredential","status":{"clientKeyData":"a"}}'`,
      {},
    ],
    [
      'answers with an invalid certificate',
      `echo '{"apiVersion":"${V1}","kind":"ExecCredential","status":{"clientKeyData":"a","clientCertificateData":"b"}}'`,
      {},
    ],
    ['is not installed', '', { command: 'no-such-plugin', installHint: 'install \u001b[1mit' }],
    ['is not executable', '', { command: './config' }],
    ['requires a terminal', '', { interactiveMode: 'Always' }],
  ])('reports the same if the plugin %s', { timeout: 60_000 }, async (_, script, exec) => {
    const { url, ca } = await startServer();
    const folder = new Folder();
    folder.script('plugin', `#!/bin/sh\n${script}\n`);
    const config = folder.config(
      'config',
      configOf(
        { server: url, 'certificate-authority-data': base64(ca) },
        { exec: { apiVersion: V1, command: './plugin', interactiveMode: 'Never', ...exec } },
      ),
    );
    expect(await ours(folder, config)).toBe(
      (await kubectl(folder, config)).replace(/^Unable to connect to the server: /, ''),
    );
  });

  test.each<readonly [string, JsonObject]>([
    ['a missing context', { ...configOf({ server: 'https://127.0.0.1:1' }), 'current-context': 'two' }],
    [
      'an error in every part',
      configOf(
        { server: 'https://127.0.0.1:1', 'certificate-authority': 'none' },
        { token: 'a', username: 'b', exec: {}, 'as-uid': 'x', 'client-certificate': 'none' },
      ),
    ],
  ])('reports the same errors for %s', { timeout: 60_000 }, async (_, config) => {
    const folder = new Folder();
    const path = folder.config('config', config);
    const theirs = (await kubectl(folder, path))
      .replace(/^Error in configuration:\s*/, '')
      .split(/\n?\* /)
      .filter((text) => text !== '');
    const mine = (await ours(folder, path))
      .replace(/^invalid configuration: /, '')
      .replace(/^\[(.*)\]$/, '$1')
      // Only ours names the contexts that exist.
      .replace('; the configuration has "one"', '');
    expect(mine.length).toBeGreaterThan(0);
    // A list of errors is a list of lines for the tool.
    expect(theirs.reduce((rest, problem) => rest.replace(problem, ''), mine).replaceAll(/[, ]/g, '')).toBe('');
  });
});
