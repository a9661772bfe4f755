/** The auth provider `oidc`, against a real OpenID provider. */
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connect, type Client } from '../../../src/entries/client.js';
import { ConfigMap } from '../../../src/entries/index.js';
import { createManualClock, startTestServer, type ManualClock, type TestServer } from '../../../src/entries/testing.js';
import { createServingCertificate, listen, nodeHttpClient } from '../../../src/transport/node/index.js';
import { startHost, type Host } from '../../security/authn/oidc/support/host.js';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  logInForLong,
  providerKey,
  serveProvider,
} from '../../security/authn/oidc/support/provider.js';

const HOUR_MS = 3_600_000;
let host: Host;
let api: TestServer;
let server: string;
let authority: string;
let directory: string;
let file: string;
let clock: ManualClock;
let warnings: string[];
const http = nodeHttpClient();
const closers: (() => unknown)[] = [];
const afterCase: (() => unknown)[] = [];

beforeAll(async () => {
  host = await startHost();
  closers.push(() => host.stop());
  await serveProvider(host, [await providerKey('one')], [{ sub: 'jane' }]);
  api = await startTestServer({
    dialect: 'kubernetes',
    start: Date.now(),
    authentication: {
      configuration: {
        jwt: [
          {
            issuer: { url: host.url, audiences: [CLIENT_ID], certificateAuthority: host.caPem },
            claimMappings: { username: { claim: 'sub', prefix: '' }, groups: { expression: '["system:masters"]' } },
          },
        ],
      },
    },
    network: { httpClient: http },
  });
  closers.push(() => api.close());
  const { caPem, certPem, keyPem } = await createServingCertificate();
  const listener = await listen(api.server, { tls: { key: keyPem, cert: certPem } });
  closers.push(() => listener.close({ grace: 0 }));
  server = listener.url;
  authority = caPem;
}, 300_000);

afterAll(async () => {
  for (const close of closers.reverse()) await close();
  http.close();
});

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'orch-oidc-'));
  file = join(directory, 'config');
  clock = createManualClock(Date.now());
  warnings = [];
});

afterEach(async () => {
  for (const close of afterCase.splice(0).reverse()) await close();
  rmSync(directory, { recursive: true });
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function configWith(tokens: { readonly idToken: string; readonly refreshToken: string }, name = 'oidc'): string {
  return `# of the team
apiVersion: v1
kind: Config
current-context: one
clusters: [{ name: one, cluster: { server: "${server}", certificate-authority-data: ${base64(authority)} } }]
contexts: [{ name: one, context: { cluster: one, user: jane } }]
users:
  - name: other
    user: { token: stays }
  - name: jane # me
    user:
      auth-provider:
        name: ${name}
        config:
          idp-issuer-url: ${host.url}
          idp-certificate-authority-data: ${base64(host.caPem)}
          client-id: ${CLIENT_ID}
          client-secret: ${CLIENT_SECRET}
          id-token: ${tokens.idToken}
          refresh-token: ${tokens.refreshToken}
`;
}

async function clientOf(path = file): Promise<Client> {
  const logger = { info: () => undefined, error: () => undefined, warn: (text: string) => void warnings.push(text) };
  const client = await connect({ kubeconfig: path }, { clock, logger, retry: false });
  afterCase.push(() => client.close());
  return client;
}

const names = async (client: Client): Promise<number> =>
  (await client.resource(ConfigMap).namespace('default').list()).items.length;

const refreshes = (): number => host.asked.filter((path) => path === '/token').length;

describe('the auth provider oidc', () => {
  test('sends its token while that is valid, and then a new one, which it writes back', async () => {
    const tokens = await logInForLong(http, host, 'jane');
    writeFileSync(file, configWith(tokens), { mode: 0o600 });
    const before = refreshes();
    const client = await clientOf();
    await names(client);
    expect(refreshes()).toBe(before);
    expect(readFileSync(file, 'utf8')).toBe(configWith(tokens));

    await clock.advance(HOUR_MS);
    await Promise.all([names(client), names(client)]);
    expect(refreshes()).toBe(before + 1);
    const written = readFileSync(file, 'utf8');
    expect(written).toContain('# of the team');
    expect(written).toContain('# me');
    expect(written).toContain('token: stays');
    expect(written).not.toContain(tokens.refreshToken);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.lock`)).toBe(false);
    expect(warnings).toEqual([]);

    // The refresh token that was written is the one that counts.
    clock = createManualClock(clock.now() + HOUR_MS);
    await names(await clientOf());
    expect(refreshes()).toBe(before + 2);
  });

  test('refreshes a token that the server refuses, once', async () => {
    const tokens = await logInForLong(http, host, 'jane');
    const [head = '', payload = ''] = tokens.idToken.split('.');
    writeFileSync(file, configWith({ ...tokens, idToken: `${head}.${payload}.${'A'.repeat(342)}` }));
    const before = refreshes();
    const client = await clientOf();
    await names(client);
    expect(refreshes()).toBe(before + 1);
    await names(client);
    expect(refreshes()).toBe(before + 1);
  });

  test('uses what another program has written', async () => {
    const tokens = await logInForLong(http, host, 'jane');
    writeFileSync(file, configWith({ idToken: '', refreshToken: 'used-up' }));
    const client = await clientOf();
    writeFileSync(file, configWith(tokens));
    const before = refreshes();
    await names(client);
    expect(refreshes()).toBe(before);
  });

  test('keeps a link to the file, and goes on when the file cannot be written', async () => {
    const real = join(directory, 'real');
    writeFileSync(real, configWith({ ...(await logInForLong(http, host, 'jane')), idToken: 'none' }));
    symlinkSync(real, file);
    await names(await clientOf());
    expect(readFileSync(real, 'utf8')).not.toContain('id-token: none');
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(real, 'utf8'));

    writeFileSync(real, configWith({ ...(await logInForLong(http, host, 'jane')), idToken: 'none' }));
    writeFileSync(`${real}.lock`, '');
    await names(await clientOf());
    expect(warnings).toEqual([expect.stringMatching(/^could not persist new tokens: .*EEXIST/)]);
    expect(readFileSync(real, 'utf8')).toContain('id-token: none');
  });

  test('writes neither through a link in the place of the unfinished file, nor into the file of somebody else', async () => {
    const victim = join(directory, 'victim');
    for (const place of [() => symlinkSync(victim, `${file}.new`), () => linkSync(victim, `${file}.new`)]) {
      writeFileSync(victim, 'stays', { mode: 0o644 });
      writeFileSync(file, configWith({ ...(await logInForLong(http, host, 'jane')), idToken: 'none' }), {
        mode: 0o600,
      });
      place();
      await names(await clientOf());
      expect(readFileSync(victim, 'utf8')).toBe('stays');
      expect(readFileSync(file, 'utf8')).not.toContain('id-token: none');
      expect([statSync(file).mode & 0o777, lstatSync(file).isSymbolicLink()]).toEqual([0o600, false]);
    }
    expect(warnings).toEqual([]);
  });

  test('fails with words of the issuer, and without secrets', async () => {
    writeFileSync(file, configWith({ idToken: '', refreshToken: 'secret-of-yesterday' }));
    const failure = await names(await clientOf()).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      message: 'getting credentials: failed to refresh token: oauth2: cannot fetch token: 400 invalid_grant',
    });
    writeFileSync(file, configWith({ idToken: '', refreshToken: '' }));
    await expect(names(await clientOf())).rejects.toThrow('cannot refresh without refresh-token');
    writeFileSync(file, configWith({ idToken: '', refreshToken: '' }, 'gcp'));
    await expect(clientOf()).rejects.toThrow('no Auth Provider found for name "gcp"');
  });
});
