import { describe, expect, test } from 'vitest';
import { ApiServer } from '../../src/entries/index.js';
import { startTestServer } from '../../src/entries/testing.js';
import { ask, textOf } from './ask.js';

const tokens = [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }];
const head = 'apiVersion: apiserver.config.orch.io/v1beta1\nkind: AuthenticationConfiguration\n';

/** A file that the test writes. */
function fileOf(text: string): {
  text: string;
  read(): string;
  onChange(changed: () => void): () => void;
  write(text: string): void;
} {
  let changed: (() => void) | undefined;
  const file = {
    text,
    content: text,
    read: () => file.content,
    onChange: (callback: () => void) => ((changed = callback), () => (changed = undefined)),
    write(next: string) {
      file.content = next;
      changed?.();
    },
  };
  return file;
}

describe('the authentication configuration of a server', () => {
  test('limits anonymous requests to the given paths', async () => {
    const file = fileOf(`${head}anonymous:\n  enabled: true\n  conditions:\n  - path: /healthz\n`);
    await using running = await startTestServer({
      authentication: { tokens, configuration: file },
      featureGates: { AnonymousAuthConfigurableEndpoints: true },
    });
    expect((await ask(running.server, 'GET', '/healthz', { token: '' })).status).toBe(200);
    expect((await ask(running.server, 'GET', '/version', { token: '' })).status).toBe(401);
    expect((await ask(running.server, 'GET', '/version')).status).toBe(200);
  });

  test('is reloaded when the file changes; a bad file keeps the old one; both are counted', async () => {
    const file = fileOf(`${head}jwt: []\n`);
    const logged: string[] = [];
    const log = (message: string, fields?: object): void =>
      void logged.push(`${message} ${JSON.stringify(fields ?? {})}`);
    await using running = await startTestServer({
      authentication: { tokens, configuration: file },
      observability: { logger: { info: log, error: log } },
    });
    const metrics = async (): Promise<string[]> =>
      textOf(await ask(running.server, 'GET', '/metrics'))
        .split('\n')
        .filter((line) => line.startsWith('apiserver_authentication_config'));
    expect(await metrics()).toEqual([]);
    file.write(
      `${head}jwt:\n- issuer: {url: "http://plain.example", audiences: [a]}\n  claimMappings: {username: {claim: sub, prefix: ""}}\n`,
    );
    await running.advance(0);
    expect(logged).toEqual([
      expect.stringContaining('jwt[0].issuer.url: Invalid value: \\"http://plain.example\\": URL scheme must be https'),
    ]);
    file.write(`${head}jwt: []\n# again\n`);
    await running.advance(60_000);
    const lines = await metrics();
    const id = /apiserver_id_hash="(sha256:[-_A-Za-z0-9]+)"/.exec(lines.join(''))?.[1] ?? '';
    // 2024-01-01 as Go writes the number.
    const seconds = '1.7040672e+09';
    expect(lines).toEqual([
      `apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds{apiserver_id_hash="${id}",status="failure"} ${seconds}`,
      expect.stringMatching(
        /^apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds\{.*status="success"\} [\d.]+e\+09$/,
      ),
      `apiserver_authentication_config_controller_automatic_reloads_total{apiserver_id_hash="${id}",status="failure"} 1`,
      `apiserver_authentication_config_controller_automatic_reloads_total{apiserver_id_hash="${id}",status="success"} 1`,
    ]);
  });

  test('prevents the start if it is invalid, and every request is answered with an error', async () => {
    await using server = new ApiServer({
      authentication: {
        tokens,
        configuration: {
          jwt: [{ issuer: { url: 'x', audiences: [] }, claimMappings: { username: { claim: 'sub', prefix: '' } } }],
        },
      },
    });
    await expect(server.ready()).rejects.toThrow('jwt[0].issuer.url');
    expect((await ask(server, 'GET', '/version')).status).toBe(500);
  });

  test("excludes the flags of a single provider, and must not name the server's own issuer", () => {
    const openIdConnect = { issuerUrl: 'https://accounts.example', clientId: 'c' };
    expect(() => new ApiServer({ authentication: { openIdConnect, configuration: { jwt: [] } } })).toThrow(
      'authentication-config file and oidc-* flags are mutually exclusive',
    );
    expect(
      () =>
        new ApiServer({
          authentication: {
            openIdConnect: { ...openIdConnect, issuerUrl: 'https://orch.default.svc.cluster.local' },
          },
        }),
    ).toThrow('URL must not overlap with disallowed issuers');
  });

  test('conflicts with the option for anonymous requests', async () => {
    const both = new ApiServer({
      authentication: { anonymous: true, configuration: { jwt: [], anonymous: { enabled: true } } },
      featureGates: { AnonymousAuthConfigurableEndpoints: true },
    });
    await expect(both.ready()).rejects.toThrow(
      '--anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
    );
    await both.close();
  });
});
