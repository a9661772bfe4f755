import { describe, expect, test } from 'vitest';
import { createSigner, WorkQueue } from '../../src/entries/controllers.js';
import { ApiServer, ConfigMap, webhook, type ApiServerOptions } from '../../src/entries/index.js';
import { createConnection } from '../../src/entries/kubeconfig.js';
import { createManualClock, startTestServer } from '../../src/entries/testing.js';
import { createServiceAccountTokenIssuer } from '../../src/entries/tokens.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { auditFile, createServingCertificate, listen, nodeHttpClient } from '../../src/transport/node/index.js';

/** Options as an untyped program passes them. */
const made = (options: unknown): ApiServer => new ApiServer(options as ApiServerOptions);

describe('the options of a server', () => {
  test.each<[unknown, string]>([
    ['kubernetes', 'the options must be an object, got "kubernetes"'],
    [null, 'the options must be an object, got null'],
    [{ resource: [] }, 'unknown option "resource"; did you mean "resources"?'],
    [{ zzzzzzzz: 1 }, 'unknown option "zzzzzzzz"; known options: '],
    [
      { dialect: 'kubernets' },
      'the option dialect must be one of orch, kubernetes, got "kubernets"; did you mean "kubernetes"?',
    ],
    [{ resources: ConfigMap }, 'the option resources must be a list of kinds, got an object'],
    [
      { storage: Promise.resolve(createMemoryStorage({ clock: createManualClock() })) },
      'got a promise (was an await forgotten?)',
    ],
    [
      { storage: () => createMemoryStorage({ clock: createManualClock() }) },
      'the option storage must be a storage engine',
    ],
    [
      { authorization: { authorizer: { authorize: () => undefined } } },
      'the option authorization.authorizer must be a function, got an object',
    ],
    [
      { authorization: { authorizer: () => undefined, modes: ['RBAC'] } },
      'the options authorization.modes and authorization.authorizer cannot be combined',
    ],
    [{ authorization: { modes: 'RBAC' } }, 'the option authorization.modes must be a list of modes, got "RBAC"'],
    [{ authorization: { mode: ['RBAC'] } }, 'unknown option "authorization.mode"; did you mean "modes"?'],
    [
      { admission: { plugins: [() => undefined] } },
      'the option admission.plugins[0] must be an admission plugin, or a webhook that webhook() returns, got a function',
    ],
    [
      { admission: { plugins: [{ name: 'A', operations: ['CREATE'] }] } },
      'the option admission.plugins[0] must have mutate or validate',
    ],
    [
      { admission: { plugins: [{ name: 'A', operations: ['POST'], validate: () => undefined }] } },
      'the option admission.plugins[0].operations[0] must be one of CREATE, UPDATE, DELETE, CONNECT, got "POST"',
    ],
    [
      { admission: { plugins: [{ name: 'A', operations: [], validate: () => undefined }] } },
      'the option admission.plugins[0].operations must name at least one operation',
    ],
    [{ controllers: { enable: ['tokencleanr'] } }, 'the option controllers.enable[0] must be one of namespace, '],
    [{ controllers: { disable: ['gc'] } }, 'the option controllers.disable[0] must be one of namespace, '],
    [
      { controllers: { enable: ['tokencleaner'], disable: ['tokencleaner'] } },
      'the controller tokencleaner is in both controllers.enable and controllers.disable',
    ],
    [
      { certificates: { rootAuthority: '-----BEGIN CERTIFICATE-----' } },
      'the option certificates.rootAuthority must be a function',
    ],
    [{ certificates: { authority: 'mine' } }, 'the option certificates.authority must be an authority'],
    [
      { featureGates: { WatchList: 'true' } },
      'the option featureGates must be a string such as "WatchList=true", or an object such as { WatchList: true }',
    ],
    [{ featureGates: { WatchLst: true } }, 'unrecognized feature gate: WatchLst'],
    [{ runtimeConfig: { 'api/alpha': true } }, 'the option runtimeConfig must be a string, got an object'],
    [
      { limits: { bodyBytes: '3MB' } },
      'the option limits.bodyBytes must be a whole number of bytes, 1 or more, got "3MB"',
    ],
    [
      { limits: { inFlight: { maxReadOnly: -1 } } },
      'the option limits.inFlight.maxReadOnly must be a whole number of requests, 0 or more, got -1',
    ],
    [
      { limits: { requestTimeoutMs: 5 } },
      'the option limits.requestTimeoutMs is limits.requestTimeout now: milliseconds, or a string such as "5s"',
    ],
    [
      { limits: { requestTimeout: 'soon' } },
      'the option limits.requestTimeout must be milliseconds above 0, or a string',
    ],
    [{ limits: { closeTimeout: '0s' } }, 'the option limits.closeTimeout must be milliseconds above 0, or a string'],
    [
      { authentication: { serviceAccounts: { maxTokenExpirationSeconds: 3600 } } },
      'the option authentication.serviceAccounts.maxTokenExpirationSeconds is authentication.serviceAccounts.maxTokenExpiration now',
    ],
    [{ certificates: { durationMs: 1 } }, 'the option certificates.durationMs is certificates.duration now'],
    [
      { authentication: { ownerToken: '' } },
      'the option authentication.ownerToken must be a string that is not empty, got ""',
    ],
    [
      { authentication: { tokens: { secret: 'ops' } } },
      'the option authentication.tokens must be a list of { token, user }, got an object',
    ],
    [
      { authentication: { tokens: [{ token: 'a', user: 'ops' }] } },
      'the option authentication.tokens[0].user must be an object, got "ops"',
    ],
    [
      { authentication: { tokens: [{ token: 'a', user: {} }] } },
      'the option authentication.tokens[0].user.username is required',
    ],
    [
      { authentication: { tokens: [{ token: 'a', user: { username: 'ops', groups: 'dev' } }] } },
      'the option authentication.tokens[0].user.groups must be a list of groups, which may be empty, got "dev"',
    ],
    [
      {
        authentication: {
          tokens: [
            { token: 'a', user: { username: 'ops', groups: [] } },
            { token: 'a', user: { username: 'eve', groups: [] } },
          ],
        },
      },
      'the option authentication.tokens[1].token is given twice; a token has one user',
    ],
    [{ authentication: { anonymous: 'no' } }, 'the option authentication.anonymous must be true or false, got "no"'],
    [
      { authentication: { clientCertificates: {} } },
      'the option authentication.clientCertificates.certificateAuthorities is required',
    ],
    [
      { authentication: { serviceAccounts: { issuer: 'https://a' } } },
      'unknown option "authentication.serviceAccounts.issuer"; did you mean "issuers"?',
    ],
    [{ clock: Date }, 'the option clock must be a clock, an object with the methods now, after'],
    [
      { entropy: Math.random },
      'the option entropy must be a source of randomness, an object with the methods uuid, bytes',
    ],
    [
      { observability: { logger: () => undefined } },
      'the option observability.logger must be a logger, an object with the methods info, error',
    ],
    [{ version: '1.0' }, 'the option version must be an object, got "1.0"'],
  ])('%# %j', (options, message) => {
    expect(() => made(options)).toThrow(message);
    if (!message.startsWith('unrecognized')) expect(() => made(options)).toThrow(TypeError);
  });

  test('an undefined option counts as absent', async () => {
    await using server = made({
      resources: undefined,
      limits: { revisionWait: undefined },
      dialect: undefined,
      clock: createManualClock(),
    });
    expect(server.dialect.name).toBe('orch');
    await expect(
      server
        .client()
        .resource(ConfigMap)
        .namespace('default')
        .create({ metadata: { name: 'a' } }),
    ).resolves.toBeDefined();
  });
});

describe('an option that has moved into a group', () => {
  test.each<[object, string]>([
    [{ enabledControllers: [] }, 'the option enabledControllers is controllers.enable now'],
    [{ disabledControllers: [] }, 'the option disabledControllers is controllers.disable now'],
    [{ tokens: [] }, 'the option tokens is authentication.tokens now'],
    [{ authenticationConfiguration: {} }, 'the option authenticationConfiguration is authentication.configuration now'],
    [{ authorizer: () => undefined }, 'the option authorizer is authorization.authorizer now'],
    [
      { admission: [] },
      'the option admission must be an object, got an array: a list of plugins is admission.plugins now',
    ],
    [{ admissionPlugins: {} }, 'the option admissionPlugins is admission now'],
    [{ audit: undefined }, 'the option audit is observability.audit now'],
    [{ httpClient: fetch }, 'the option httpClient is network.httpClient now'],
    [
      { services: {} },
      'the option services is network (clusterIPRange, nodePortRange) and handlers.services (proxy) now',
    ],
    [
      { webhooks: {} },
      'the option webhooks is network (resolveService, serviceRouting) and admission.webhooks (credentials) now',
    ],
    [{ pods: {} }, 'the option pods is handlers.pods now'],
    [{ rootCertificateAuthority: () => '' }, 'the option rootCertificateAuthority is certificates.rootAuthority now'],
  ])('%j is refused with its name', async (options, message) => {
    expect(() => made(options)).toThrow(new TypeError(`ApiServer: ${message}`));
    await expect(startTestServer(options)).rejects.toThrow(new TypeError(`ApiServer: ${message}`));
  });
});

describe('an in-process client', () => {
  test.each<[unknown, string]>([
    ['alice', 'client: the options must be an object, got "alice"'],
    [{ users: 'alice' }, 'client: unknown option "users"; did you mean "user"?'],
    [{ user: '' }, 'client: the option user must be a string that is not empty, got ""'],
    [{ user: { name: 'alice' } }, 'client: unknown option "user.name"'],
    [{ user: { username: 'alice' } }, 'client: the option user.groups is required'],
    [{ user: { username: 'alice', groups: [7] } }, 'client: the option user.groups[0] must be a string, got 7'],
    [
      { user: { username: 'alice', groups: [], extra: { team: 'north' } } },
      'client: the option user.extra["team"] must be a list of strings, got "north"',
    ],
    [{ onWarning: 'log' }, 'client: the option onWarning must be a function, got "log"'],
  ])('%j', async (options, message) => {
    await using server = new ApiServer();
    expect(() => server.client(options as object)).toThrow(TypeError);
    expect(() => server.client(options as object)).toThrow(message);
  });

  test('acts for a user given by name only, with the groups of that name, as explain does', async () => {
    const seen: unknown[] = [];
    await using server = new ApiServer({
      authorization: { authorizer: ({ user }) => (seen.push(user), { decision: 'Allow', reason: '' }) },
    });
    for (const user of ['alice', 'system:anonymous', 'system:serviceaccount:shop:robot'])
      await server.client({ user }).resource(ConfigMap).namespace('default').list();
    expect(seen).toEqual([
      { username: 'alice', groups: ['system:authenticated'] },
      { username: 'system:anonymous', groups: ['system:unauthenticated'] },
      {
        username: 'system:serviceaccount:shop:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
      },
    ]);
  });
});

describe('a test server', () => {
  test.each<[unknown, string]>([
    ['x', 'startTestServer: the options must be an object, got "x"'],
    [
      { clock: { now: () => 0, after: () => undefined } },
      'startTestServer: the option clock must be a clock, from createManualClock() or fakeTimersClock()',
    ],
    [
      { clock: createManualClock(), start: 0 },
      'startTestServer: the options clock and start cannot be combined: set the start time with createManualClock(start)',
    ],
    [
      { entropy: {} },
      'startTestServer: the option entropy is not allowed: a test server has its own; set seed, or create an ApiServer',
    ],
    [
      { start: '2024' },
      'startTestServer: the option start must be a number of milliseconds since the epoch, got "2024"',
    ],
    [{ seed: {} }, 'startTestServer: the option seed must be a number or a string, got an object'],
    [{ storage: 'memory' }, 'ApiServer: the option storage must be a storage engine'],
    [{ recources: [] }, 'ApiServer: unknown option "recources"; did you mean "resources"?'],
  ])('rejects %j', async (options, message) => {
    await expect(startTestServer(options as object)).rejects.toThrow(message);
  });
});

/** A rule for all: durations are strings or milliseconds, and their names have no unit. */
describe('options of time under their former names', () => {
  const post = () => undefined;
  test.each<[unknown, string]>([
    [
      { observability: { audit: { policy: {}, sink: { write: post, timeoutMs: 1 } } } },
      'observability.audit.sink.timeout',
    ],
    [
      { observability: { audit: { policy: {}, log: { output: { write: post }, batch: { maxWaitMs: 1 } } } } },
      'observability.audit.log.batch.maxWait',
    ],
    [
      { observability: { audit: { policy: {}, webhook: { post, initialBackoffMs: 1 } } } },
      'observability.audit.webhook.initialBackoff',
    ],
    [
      { observability: { audit: { policy: {}, webhook: { post, timeoutMs: 1 } } } },
      'observability.audit.webhook.timeout',
    ],
    [{ authentication: { tokenWebhook: { post, cacheTtlMs: 1 } } }, 'authentication.tokenWebhook.cacheTtl'],
    [{ authentication: { tokenWebhook: { post, timeoutMs: 1 } } }, 'authentication.tokenWebhook.timeout'],
    [
      { authentication: { tokenWebhook: { post, retry: { initialMs: 1 } } } },
      'authentication.tokenWebhook.retry.initial',
    ],
    [
      { authorization: { modes: ['Webhook'], webhook: { post, authorizedTtlMs: 1 } } },
      'authorization.webhook.authorizedTtl',
    ],
    [
      { authorization: { modes: ['Webhook'], webhook: { post, unauthorizedTtlMs: 1 } } },
      'authorization.webhook.unauthorizedTtl',
    ],
    [
      { authorization: { configuration: { authorizers: [{ type: 'Webhook', webhook: { timeoutMs: 1 } }] } } },
      'authorization.configuration.authorizers[0].webhook.timeout',
    ],
    [{ admission: { imagePolicyWebhook: { post, allowTtlMs: 1 } } }, 'admission.imagePolicyWebhook.allowTtl'],
    [{ admission: { imagePolicyWebhook: { post, denyTtlMs: 1 } } }, 'admission.imagePolicyWebhook.denyTtl'],
    [{ admission: { imagePolicyWebhook: { post, retryBackoffMs: 1 } } }, 'admission.imagePolicyWebhook.retryBackoff'],
    [{ admission: { defaultTolerations: { notReadySeconds: 1 } } }, 'admission.defaultTolerations.notReady'],
    [{ admission: { defaultTolerations: { unreachableSeconds: 1 } } }, 'admission.defaultTolerations.unreachable'],
  ])('a server refuses %j', (options, path) => {
    expect(() => made(options)).toThrow(
      /^ApiServer: the option \S+ is (\S+) now: milliseconds, or a string such as "5s"$/,
    );
    expect(() => made(options)).toThrow(` is ${path} now`);
  });

  test('a configuration says which fields it has', () => {
    const webhook = { authorizedTtlMs: 1 };
    expect(() => made({ authorization: { configuration: { authorizers: [{ type: 'Webhook', webhook }] } } })).toThrow(
      'unknown option "authorization.configuration.authorizers[0].webhook.authorizedTtlMs"; did you mean "authorizedTTL"?',
    );
  });

  test.each<[string, (options: never) => unknown, object, string]>([
    ['listen', (options) => listen(new ApiServer(), options), { timeouts: { headersMs: 1 } }, 'timeouts.headers'],
    ['listen', (options) => listen(new ApiServer(), options), { webSocket: { pingMs: 1 } }, 'webSocket.ping'],
    ['WorkQueue', (options) => new WorkQueue(options), { baseDelayMs: 1 }, 'baseDelay'],
    ['nodeHttpClient', (options) => nodeHttpClient(options), { idleMs: 1 }, 'idle'],
    ['auditFile', (options) => auditFile(options), { path: '/nowhere', maxAgeDays: 1 }, 'maxAge'],
    ['createServingCertificate', (options) => createServingCertificate(options), { days: 1 }, 'duration'],
    [
      'createConnection',
      (options) => createConnection({ clusters: new Map(), users: new Map(), contexts: new Map() }, options),
      { http: () => undefined, exec: { timeoutMs: 1 } },
      'exec.timeout',
    ],
    [
      'createSigner',
      (options) => createSigner(options),
      {
        ...{ client: new ApiServer().client(), signerName: 'example.com/a', issue: () => '' },
        policy: { lifetime: { maxSeconds: 1 } },
      },
      'policy.lifetime.max',
    ],
    [
      'createServiceAccountTokenIssuer',
      (options) => createServiceAccountTokenIssuer(options),
      { maxExpirationSeconds: 3600 },
      'maxExpiration',
    ],
    ['startTestServer', (options) => startTestServer(options), { startMs: 1 }, 'start'],
  ])('%s refuses %#', async (name, made, options, path) => {
    const refused = new Promise((resolve) => resolve(made(options as never)));
    await expect(refused).rejects.toThrow(new RegExp(`^${name}: the option \\S+ is ${path.replace('.', '\\.')} now`));
  });

  test('webhook() refuses timeoutSeconds', () => {
    const definition = { name: 'a', rules: [{}], handler: () => ({ allowed: true }), timeoutSeconds: 1 };
    expect(() => webhook(definition as never)).toThrow('webhook: the member timeoutSeconds is timeout now');
  });
});
