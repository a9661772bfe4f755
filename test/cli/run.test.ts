import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { createFakeHost } from './fake-host.js';

let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cli-run-'));
  await writeFile(join(directory, 'two-columns.csv'), 'secret-token,alice\n');
  await writeFile(join(directory, 'quote.csv'), 'secret-token,"al"ice,1\n');
  await writeFile(join(directory, 'no.pem'), 'nothing\n');
  await writeFile(join(directory, 'empty'), '');
  await writeFile(
    join(directory, 'broken.pem'),
    '-----BEGIN CERTIFICATE-----\nc2VjcmV0LWNvbnRlbnQ=\n-----END CERTIFICATE-----\n',
  );
  await writeFile(
    join(directory, 'broken.key'),
    '-----BEGIN PRIVATE KEY-----\nc2VjcmV0LWNvbnRlbnQ=\n-----END PRIVATE KEY-----\n',
  );
  await writeFile(join(directory, 'kubeconfig'), 'apiVersion: v1\nkind: Config\ncurrent-context: none\n');
});
afterAll(() => rm(directory, { recursive: true }));

const PROVIDER = ['serve', '--oidc-issuer-url=https://issuer.example', '--oidc-client-id=a'];

async function outcome(words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const host = createFakeHost();
  const code = await run(
    words.map((word) => word.replaceAll('DIR', directory)),
    host,
  );
  return { code, out: host.out(), err: host.err() };
}

describe('help and version', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']], [['help', '--help']]])('%j lists the commands', async (words) => {
    const { code, out, err } = await outcome(words);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('  serve               Serves the API until SIGTERM or SIGINT.\n');
    expect(out).toContain(
      '  backup              Writes a snapshot of a store to a file, while servers keep using the store.\n',
    );
  });

  it.each([[['serve', '--help']], [['serve', '-h', '--secure-port', '0']], [['help', 'serve']]])(
    '%j lists the flags',
    async (words) => {
      const { code, out, err } = await outcome(words);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('Usage:\n  orch-apiserver serve [flags]\n');
      expect(out).toContain(
        '  --dialect NAME\n      Dialect that sets the names in the API, one of orch, kubernetes. (default orch)\n',
      );
      expect(out).not.toContain('Kubernetes');
    },
  );

  it.each([[['--version']], [['serve', '--version']]])('%j prints the version', async (words) => {
    expect(await outcome(words)).toEqual({ code: 0, out: 'orch-apiserver 1.2.3 (node20, linux/amd64)\n', err: '' });
  });
});

describe('prints one line on stderr with exit code 2', () => {
  it.each<[words: string[], line: string]>([
    [
      ['start'],
      'unknown command "start" for "orch-apiserver": one of serve, test-server, fork, open, backup, restore, check, compact, copy, migrate, postgres-schema, rotate-signing-key, revoke-owner-token, crd-types, who-can, history, init, completion',
    ],
    [
      ['--dialect=orch'],
      'unknown flag: --dialect=orch (the flags follow the command: orch-apiserver serve --dialect=orch)',
    ],
    [
      ['help', 'serv'],
      'unknown command "serv" for "orch-apiserver" (did you mean serve?): one of serve, test-server, fork, open, backup, restore, check, compact, copy, migrate, postgres-schema, rotate-signing-key, revoke-owner-token, crd-types, who-can, history, init, completion',
    ],
    [['help', 'serve', 'now'], 'unexpected argument "now"'],
    [['serve', 'now'], 'unexpected argument "now"'],
    [['serve', '--client-ca=x'], 'unknown flag: --client-ca (did you mean --client-ca-file?)'],
    [
      ['serve', '--dialect', 'klingon'],
      'invalid argument "klingon" for "--dialect" flag: must be one of orch, kubernetes',
    ],
    [
      ['serve', '--feature-gates=Nothing=true'],
      'invalid argument "Nothing=true" for "--feature-gates" flag: unrecognized feature gate: Nothing',
    ],
    [
      ['serve', '--feature-gates', 'ServerSideApply=false'],
      'invalid argument "ServerSideApply=false" for "--feature-gates" flag: cannot set feature gate ServerSideApply to false, feature is locked to true',
    ],
    [
      ['serve', '--runtime-config=v1'],
      'invalid argument "v1" for "--runtime-config" flag: runtime-config invalid key v1',
    ],
    [
      ['serve', '--secure-port=0', '--insecure-loopback-port=0'],
      'nothing to listen on: --secure-port and --insecure-loopback-port are both 0',
    ],
    [['serve', '--tls-cert-file=x'], '--tls-cert-file and --tls-private-key-file must be given together'],
    [
      ['serve', '--tls-cert-file=DIR/none.pem', '--tls-private-key-file=x'],
      '--tls-cert-file: open DIR/none.pem: no such file or directory',
    ],
    [['serve', '--token-auth-file=DIR/none.csv'], '--token-auth-file: open DIR/none.csv: no such file or directory'],
    [
      ['serve', '--token-auth-file=DIR/two-columns.csv'],
      "--token-auth-file: token file 'DIR/two-columns.csv' must have at least 3 columns (token, user name, user uid), found 2",
    ],
    [
      ['serve', '--token-auth-file=DIR/quote.csv'],
      '--token-auth-file: parse error on line 1, column 17: extraneous or missing " in quoted-field',
    ],
    [
      ['serve', '--client-ca-file=DIR/none'],
      '--client-ca-file: unable to load client CA file: open DIR/none: no such file or directory',
    ],
    [
      ['serve', '--client-ca-file=DIR/empty'],
      '--client-ca-file: missing content for CA bundle "client-ca-bundle::DIR/empty"',
    ],
    [
      ['serve', '--client-ca-file=DIR/no.pem'],
      '--client-ca-file: error loading CA bundle for "client-ca-bundle::DIR/no.pem": data does not contain any valid RSA or ECDSA certificates',
    ],
    [
      ['serve', '--client-ca-file=DIR/broken.pem'],
      '--client-ca-file: error loading CA bundle for "client-ca-bundle::DIR/broken.pem": x509: malformed certificate',
    ],
    [
      ['serve', '--requestheader-client-ca-file=DIR/empty'],
      '--requestheader-client-ca-file: missing content for CA bundle "request-header::DIR/empty"',
    ],
    [['serve', '--requestheader-username-headers=a,,b'], 'empty value in "requestheader-username-headers"'],
    [
      ['serve', '--requestheader-group-headers', ' ', '--requestheader-extra-headers-prefix=a,'],
      '[empty value in "requestheader-group-headers", empty value in "requestheader-extra-headers-prefix"]',
    ],
    [['serve', '--requestheader-allowed-names=,'], 'empty value in "requestheader-allowed-names"'],
    [
      ['serve', '--oidc-issuer-url=https://issuer.example'],
      'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set',
    ],
    [
      ['serve', '--oidc-client-id=a'],
      'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set',
    ],
    [
      ['serve', '--oidc-username-claim=sub'],
      'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set',
    ],
    [
      ['serve', '--oidc-issuer-url=', '--oidc-client-id='],
      'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set',
    ],
    [
      [...PROVIDER, '--oidc-issuer-url=http://issuer.example'],
      'invalid authentication configuration: jwt[0].issuer.url: Invalid value: "http://issuer.example": URL scheme must be https',
    ],
    [
      [...PROVIDER, '--oidc-issuer-url=https://a:secret@issuer.example'],
      'invalid authentication configuration: jwt[0].issuer.url: Invalid value: "<omitted>": URL must not contain a username or password',
    ],
    [
      [...PROVIDER, '--service-account-issuer=https://issuer.example'],
      'invalid authentication configuration: jwt[0].issuer.url: Invalid value: "https://issuer.example": URL must not overlap with disallowed issuers: [https://issuer.example]',
    ],
    [
      [...PROVIDER, '--oidc-username-claim='],
      'invalid authentication configuration: jwt[0].claimMappings.username: Required value: claim or expression is required',
    ],
    [[...PROVIDER, '--oidc-required-claim=team'], '--oidc-required-claim: malformed pair, expect string=string'],
    [[...PROVIDER, '--oidc-ca-file=DIR/none'], '--oidc-ca-file: open DIR/none: no such file or directory'],
    [
      [...PROVIDER, '--oidc-ca-file=DIR/no.pem'],
      '--oidc-ca-file: data does not contain any valid RSA or ECDSA certificates',
    ],
    [[...PROVIDER, '--oidc-signing-algs=HS256'], 'oidc: unsupported signing alg: "HS256"'],
    [
      [...PROVIDER, '--authentication-config=DIR/empty'],
      'authentication-config file and oidc-* flags are mutually exclusive',
    ],
    [
      ['serve', '--authentication-config=DIR/none'],
      '--authentication-config: open DIR/none: no such file or directory',
    ],
    [
      ['serve', '--authentication-config=DIR/empty', '--feature-gates=StructuredAuthenticationConfiguration=false'],
      'set --feature-gates=StructuredAuthenticationConfiguration=true to use authentication-config file',
    ],
    [
      ['serve', '--authentication-token-webhook-config-file=DIR/none'],
      '--authentication-token-webhook-config-file: stat DIR/none: no such file or directory',
    ],
    [
      ['serve', '--authentication-token-webhook-config-file=DIR/kubeconfig'],
      '--authentication-token-webhook-config-file: invalid configuration: context was not found for specified context: none; the configuration has none',
    ],
    [
      ['serve', '--authentication-token-webhook-version=v2'],
      'invalid argument "v2" for "--authentication-token-webhook-version" flag: must be one of v1, v1beta1',
    ],
    [['serve', '--service-account-issuer='], 'service-account-issuer should not be an empty string'],
    [
      ['serve', '--service-account-issuer=a', '--service-account-issuer=a'],
      'service-account-issuer "a" is already specified',
    ],
    [
      ['serve', '--service-account-issuer=https://a b'],
      `service-account-issuer "https://a b" contained a ':' but was not a valid URL: parse "https://a b": invalid character " " in host name`,
    ],
    [
      ['serve', '--service-account-jwks-uri=http://a/keys'],
      'service-account-jwks-uri requires https scheme, parsed as: http://a/keys',
    ],
    [
      ['serve', '--service-account-jwks-uri=https://%zz'],
      'service-account-jwks-uri must be a valid URL: parse "https://%zz": invalid URL escape "%zz"',
    ],
    [
      ['serve', '--service-account-max-token-expiration=59m59s'],
      'the service-account-max-token-expiration is out of bound, must be between 1 hour and 2^32 seconds',
    ],
    [
      ['serve', '--service-account-max-token-expiration=1193047h'],
      'the service-account-max-token-expiration is out of bound, must be between 1 hour and 2^32 seconds',
    ],
    [
      ['serve', '--service-account-signing-key-lifetime=23h59m'],
      '--service-account-signing-key-lifetime must be at least 24h',
    ],
    [
      ['serve', '--service-account-signing-key-lifetime=24h', '--service-account-signing-key-file=DIR/none'],
      '--service-account-signing-key-lifetime is for a key that the server generates: leave it out, or --service-account-signing-key-file',
    ],
    [
      ['serve', '--service-account-signing-key-file=DIR/none'],
      '--service-account-signing-key-file: open DIR/none: no such file or directory',
    ],
    [
      ['serve', '--service-account-signing-key-file=DIR/broken.key'],
      '--service-account-signing-key-file: error reading private key file DIR/broken.key: data does not contain a valid RSA or ECDSA private key: unexpected DER',
    ],
    [
      ['serve', '--service-account-key-file=DIR/empty'],
      '--service-account-key-file: error reading public key file DIR/empty: data does not contain any valid RSA or ECDSA public keys',
    ],
    [
      ['serve', '--service-account-key-file=DIR/broken.key'],
      '--service-account-key-file: error reading public key file DIR/broken.key: data does not contain any valid RSA or ECDSA public keys: unexpected DER',
    ],
    [
      ['serve', '--storage=mysql'],
      'invalid argument "mysql" for "--storage" flag: must be one of sqlite, memory, etcd, postgres',
    ],
    [['serve', '--storage=memory', '--data-dir=x'], '--data-dir is for --storage sqlite, not for memory'],
    [
      ['serve', '--storage=etcd', '--storage-durability=relaxed'],
      '--storage-durability is for --storage sqlite or postgres, not for etcd',
    ],
    [
      ['serve', '--storage=memory', '--replace-agreement'],
      '--replace-agreement is for --storage etcd or postgres, not for memory',
    ],
    [['serve', '--etcd-servers=http://127.0.0.1:2379'], '--etcd-servers is for --storage etcd, not for sqlite'],
    [['serve', '--etcd-compaction-interval=1m'], '--etcd-compaction-interval is for --storage etcd, not for sqlite'],
    [['serve', '--watch-cache=false'], '--watch-cache is for --storage etcd or postgres, not for sqlite'],
    [
      ['serve', '--storage=memory', '--cache-objects=1Mi'],
      '--cache-objects is for --storage sqlite or postgres, not for memory',
    ],
    [
      ['serve', '--storage=etcd', '--etcd-servers=http://127.0.0.1:2379', '--cache-objects=1Mi'],
      '--cache-objects is for --storage sqlite or postgres, not for etcd: leave it out and set --watch-cache=false, so that etcd answers every read, or move the store with orch-apiserver copy',
    ],
    [
      [
        ...['serve', '--storage=postgres', '--postgres-url=postgres://db.example/orch'],
        ...['--cache-objects=1Mi', '--watch-cache=false'],
      ],
      '--cache-objects limits the watch cache: leave it out, or do not set --watch-cache=false',
    ],
    [
      ['serve', '--storage=etcd', '--watch-cache-sizes=pods#10'],
      'unknown flag: --watch-cache-sizes (did you mean --watch-cache?)',
    ],
    [['serve', '--data-dir='], '--data-dir should not be an empty string'],
    [['serve', '--storage=etcd'], '--etcd-servers must be specified with --storage etcd'],
    [
      ['serve', '--storage=etcd', '--etcd-servers=nonsense'],
      '--etcd-servers: "nonsense" is not a URL such as http://127.0.0.1:2379',
    ],
    [
      ['serve', '--storage=etcd', '--etcd-servers=http://a:1', '--etcd-keyfile=x'],
      '--etcd-certfile and --etcd-keyfile must be given together',
    ],
    [
      ['serve', '--storage=etcd', '--etcd-servers=http://a:1', '--etcd-username=x'],
      '--etcd-username and --etcd-password-file must be given together',
    ],
    [
      ['serve', '--storage=etcd', '--etcd-servers=http://a:1', '--etcd-cafile=DIR/none'],
      '--etcd-cafile: open DIR/none: no such file or directory',
    ],
    [['backup', '--storage=memory', '--to=x'], '--storage memory: only the server itself can access a store in memory'],
    [['restore'], '--from must be specified: the backup file'],
    [
      ['serve', '--controllers=*,nothing'],
      'invalid argument "*,nothing" for "--controllers" flag: "nothing" is not in the list of known controllers',
    ],
  ])('%j', async (words, line) => {
    expect(await outcome(words)).toEqual({
      code: 2,
      out: '',
      err: `orch-apiserver: ${line.replaceAll('DIR', directory)}\n`,
    });
  });

  it('reports invalid certificate and key files on one line', async () => {
    const { code, err } = await outcome(['serve', '--tls-cert-file=DIR/no.pem', '--tls-private-key-file=DIR/no.pem']);
    expect(code).toBe(2);
    expect(err).toMatch(/^orch-apiserver: --tls-cert-file, --tls-private-key-file: [^\n]+\n$/);
  });
});

describe('prints one line on stderr with exit code 1', () => {
  it('reports a port in use, and opens none', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const taken = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, err } = await outcome([
      'serve',
      '--secure-port=auto',
      '--cert-dir=DIR/pki',
      `--insecure-loopback-port=${taken}`,
      '--kubeconfig-out=DIR/never',
      '--data-dir=DIR/data',
    ]);
    await new Promise((resolve) => other.close(resolve));
    expect({ code, err }).toEqual({
      code: 1,
      err: `orch-apiserver: --insecure-loopback-port: port ${taken} of 127.0.0.1 is already in use: stop the process that uses it, or choose another port, for example with --insecure-loopback-port auto\n`,
    });
  });

  it('reports a file that cannot be written', async () => {
    const { code, err } = await outcome([
      'serve',
      '--secure-port=0',
      '--insecure-loopback-port=auto',
      '--kubeconfig-out=DIR/no.pem/kubeconfig',
      '--storage=memory',
    ]);
    expect({ code, err }).toEqual({
      code: 1,
      err: `orch-apiserver: --kubeconfig-out: file already exists, mkdir '${directory}/no.pem'\n`,
    });
  });
});
