/** Options of plugins from an AdmissionConfiguration. */
import { describe, expect, test } from 'vitest';
import { admissionPluginOptions, type AdmissionFiles } from '../../../src/admission/configuration/index.js';
import type { AdmissionPluginOptions } from '../../../src/admission/plugins/options.js';
import { parseConfigurationText } from '../../../src/server/codec/configuration-text.js';
import { kubernetes, orch, type Dialect } from '../../../src/foundation/index.js';
import type { WebhookPost } from '../../../src/foundation/outbound/index.js';

const post: WebhookPost = () => Promise.reject(new Error('never called'));
const credentials = () => ({ token: 't' });

interface Read {
  readonly options: AdmissionPluginOptions;
  readonly logged: readonly unknown[];
  readonly connected: readonly string[];
}

/** Reads a configuration from files by their path. */
async function read(
  files: Readonly<Record<string, string>>,
  { dialect = kubernetes, off = [] }: { readonly dialect?: Dialect; readonly off?: readonly string[] } = {},
): Promise<Read> {
  const logged: unknown[] = [];
  const connected: string[] = [];
  const access: AdmissionFiles = {
    read: async (path) => {
      const content = files[path];
      if (content === undefined) throw new Error(`open ${path}: no such file or directory`);
      return parseConfigurationText(content);
    },
    absolute: (path) => (path.startsWith('/') ? path : `/etc/${path}`),
    isAbsolute: (path) => path.startsWith('/'),
    connect: (path) => {
      connected.push(path);
      return Promise.resolve(post);
    },
    credentials: (path) => {
      connected.push(path);
      return Promise.resolve(credentials);
    },
  };
  const log = (_message: string, fields?: object) => void logged.push(fields);
  const options = await admissionPluginOptions('/etc/admission.yaml', {
    ...{ dialect, files: access, logger: { info: log, error: log } },
    runs: (name) => !off.includes(name),
  });
  return { options, logged, connected };
}

/** Reads the configuration of one plugin, in a file of its own. */
const readOne = (name: string, content: string, dialect?: Dialect): Promise<Read> =>
  read(
    { '/etc/admission.yaml': configurationOf([{ name, path: 'plugin.yaml' }], dialect), '/etc/plugin.yaml': content },
    dialect === undefined ? {} : { dialect },
  );

const configurationOf = (plugins: object, dialect: Dialect = kubernetes): string =>
  JSON.stringify({
    apiVersion: `apiserver.config.${dialect.groupSuffix}/v1`,
    kind: 'AdmissionConfiguration',
    plugins,
  });

const refusal = async (reading: Promise<Read>): Promise<string> =>
  reading.then(
    () => 'nothing is wrong',
    (error: unknown) => (error as Error).message,
  );

const refusalOf = (name: string, content: string): Promise<string> => refusal(readOne(name, content));

describe('an AdmissionConfiguration', () => {
  test('names a file, or contains the configuration', async () => {
    const limits = [{ type: 'Server', qps: 5, burst: 7 }];
    const inline = { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration', limits };
    const { options, logged } = await read({
      '/etc/admission.yaml': configurationOf([
        { name: 'EventRateLimit', configuration: inline, path: 'ignored' },
        { name: 'PodNodeSelector', path: 'selectors.yaml' },
        { name: 'ResourceQuota', path: '/abs/quota.yaml' },
        { name: 'PodSecurity' },
      ]),
      '/etc/selectors.yaml': 'podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: "a=b", team: "c=d,e=f" }',
      '/abs/quota.yaml':
        'apiVersion: apiserver.config.k8s.io/v1\nkind: ResourceQuotaConfiguration\nlimitedResources: [{ resource: pods }]',
    });
    expect(options).toEqual({
      eventRateLimit: { limits },
      podNodeSelector: { clusterDefault: 'a=b', allowed: { team: 'c=d,e=f' } },
      resourceQuota: { limitedResources: [{ resource: 'pods' }] },
    });
    expect(logged).toEqual([]);
  });

  test('has an old version, and names in the dialect', async () => {
    const written = (apiVersion: string) =>
      JSON.stringify({ apiVersion, kind: 'AdmissionConfiguration', plugins: [{ name: 'EventRateLimit' }] });
    await read({ '/etc/admission.yaml': written('apiserver.k8s.io/v1alpha1') });
    await read({ '/etc/admission.yaml': written(`apiserver.${orch.groupSuffix}/v1alpha1`) }, { dialect: orch });
    expect(await refusal(read({ '/etc/admission.yaml': written('apiserver.config.k8s.io/v1alpha1') }))).toBe(
      '/etc/admission.yaml: no kind "AdmissionConfiguration" is registered for version "apiserver.config.k8s.io/v1alpha1": expected AdmissionConfiguration of apiserver.config.k8s.io/v1, AdmissionConfiguration of apiserver.k8s.io/v1alpha1',
    );
    expect(
      await refusal(read({ '/etc/admission.yaml': written('apiserver.k8s.io/v1alpha1') }, { dialect: orch })),
    ).toContain(`expected AdmissionConfiguration of apiserver.config.${orch.groupSuffix}/v1`);
  });

  test('may be the configuration of an old plugin itself', async () => {
    const { options } = await read({ '/etc/admission.yaml': 'podNodeSelectorPluginConfig: { team: "c=d" }' });
    expect(options.podNodeSelector?.allowed).toEqual({ team: 'c=d' });
    const { connected } = await read({ '/etc/admission.yaml': 'imagePolicy: { kubeConfigFile: /etc/images }' });
    expect(connected).toEqual(['/etc/images']);
  });

  test('is refused with the path of the file and of the field', async () => {
    const of = (plugins: object, more: Record<string, string> = {}) =>
      refusal(read({ '/etc/admission.yaml': configurationOf(plugins), ...more }));
    expect(await refusal(read({}))).toBe('/etc/admission.yaml: open /etc/admission.yaml: no such file or directory');
    expect(await refusal(read({ '/etc/admission.yaml': 'plugins: []' }))).toBe(
      "/etc/admission.yaml: Object 'Kind' is missing in the configuration",
    );
    expect(await refusal(read({ '/etc/admission.yaml': '- a' }))).toBe(
      '/etc/admission.yaml: the configuration must be an object',
    );
    expect(await refusal(read({ '/etc/admission.yaml': 'kind: a\nkind: b' }))).toContain('already set in map');
    expect(await of({})).toMatch(/^\/etc\/admission.yaml: json: cannot unmarshal object into .*plugins of type/);
    expect(await of([{ name: 'PodSecurity', path: 'none.yaml' }])).toBe(
      'couldn\'t init admission plugin "PodSecurity": /etc/none.yaml: open /etc/none.yaml: no such file or directory',
    );
    expect(await of([{ name: 'PodSecurity', configuration: { kind: 'x' } }])).toBe(
      "couldn't init admission plugin \"PodSecurity\": /etc/admission.yaml: plugins[0].configuration: Object 'apiVersion' is missing in the configuration",
    );
  });

  test('says which entries it does not use', async () => {
    const configuration = { kind: 'wrong' };
    const plugins = [
      { name: 'PodSecurityPolicy', configuration },
      { name: 'AlwaysDeny', configuration },
      { name: 'EventRateLimit', configuration },
      { name: 'PodSecurity' },
      { name: 'PodSecurity', configuration },
    ];
    const written = JSON.stringify({ ...(JSON.parse(configurationOf(plugins)) as object), more: 1 });
    const { options, logged } = await read({ '/etc/admission.yaml': written }, { off: ['EventRateLimit'] });
    expect(options).toEqual({});
    const file = '/etc/admission.yaml';
    expect(logged).toEqual([
      { file, fields: ['unknown field "more"'] },
      { file, entry: 0, plugin: 'PodSecurityPolicy', reason: 'there is no such plugin' },
      { file, entry: 1, plugin: 'AlwaysDeny', reason: 'the plugin has no configuration' },
      { file, entry: 2, plugin: 'EventRateLimit', reason: 'the plugin does not run' },
      { file, entry: 4, plugin: 'PodSecurity', reason: 'an earlier entry has its configuration' },
    ]);
  });
});

describe('the configuration of PodSecurity', () => {
  const of = (content: string, version = 'v1') =>
    `apiVersion: pod-security.admission.config.k8s.io/${version}\nkind: PodSecurityConfiguration\n${content}`;

  test('has three versions, and defaults', async () => {
    for (const version of ['v1', 'v1beta1', 'v1alpha1']) {
      const { options } = await readOne(
        'PodSecurity',
        of('defaults: { enforce: baseline, enforce-version: v1.25 }\nexemptions: { namespaces: [a] }', version),
      );
      expect(options.podSecurity).toEqual({
        defaults: {
          ...{ enforce: 'baseline', enforceVersion: 'v1.25' },
          ...{ audit: 'privileged', auditVersion: 'latest', warn: 'privileged', warnVersion: 'latest' },
        },
        exemptions: { namespaces: ['a'] },
      });
    }
    expect((await readOne('PodSecurity', '')).options).toEqual({});
  });

  test('is refused with all its mistakes', async () => {
    const begin = 'couldn\'t init admission plugin "PodSecurity": /etc/plugin.yaml: ';
    expect(
      await refusalOf(
        'PodSecurity',
        of(
          'defaults: { enforce: strict, warn-version: "1.2" }\nexemptions: { namespaces: [a, A, a], runtimeClasses: ["-"], usernames: [""] }',
        ),
      ),
    ).toMatch(
      new RegExp(
        `^${begin}\\[defaults.enforce: Invalid value: "strict": must be one of privileged, baseline, restricted, defaults.warn-version: Invalid value: "1.2": must be "latest" or "v1.x", exemptions.namespaces\\[1\\]: Invalid value: "A": .*, exemptions.namespaces\\[2\\]: Duplicate value: "a", exemptions.runtimeClasses\\[0\\]: Invalid value: "-": .*, exemptions.usernames\\[0\\]: Invalid value: "": username must not be empty\\]$`,
      ),
    );
    expect(await refusalOf('PodSecurity', of('default: {}'))).toBe(
      `${begin}strict decoding error: unknown field "default"`,
    );
    expect(await refusalOf('PodSecurity', of('', 'v2'))).toContain('no kind "PodSecurityConfiguration" is registered');
  });
});

test('the configuration of EventRateLimit', async () => {
  const of = (limits: object) =>
    JSON.stringify({ apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration', limits });
  const { options } = await readOne(
    'EventRateLimit',
    of([
      { type: 'User', qps: 1, burst: 2, cacheSize: 3 },
      { type: 'Namespace', qps: 1, burst: 2, cacheSize: 0 },
    ]),
  );
  expect(options.eventRateLimit?.limits).toEqual([
    { type: 'User', qps: 1, burst: 2, cacheSize: 3 },
    { type: 'Namespace', qps: 1, burst: 2 },
  ]);
  expect(await refusalOf('EventRateLimit', of([]))).toContain('limits: Invalid value: []string{}: must not be empty');
  expect(await refusalOf('EventRateLimit', of([{ type: 'All', cacheSize: -1 }]))).toContain(
    '/etc/plugin.yaml: [limits[0].type: Unsupported value: "All": supported values: "Server", "Namespace", "User", "SourceAndObject", limits[0].burst: Invalid value: 0: must be positive, limits[0].qps: Invalid value: 0: must be positive, limits[0].cacheSize: Invalid value: -1: must not be negative]',
  );
  expect(await refusalOf('EventRateLimit', of([{ qps: 'a' }]))).toMatch(
    /cannot unmarshal string into .*limits\.qps of type int32/,
  );
});

test('the configuration of ResourceQuota, in three versions', async () => {
  const limitedResources = [
    {
      ...{ apiGroup: 'apps', resource: 'deployments', matchContains: ['count'] },
      matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
    },
  ];
  const of = (group: string, kind: string, content: object = { limitedResources }) =>
    JSON.stringify({ apiVersion: group, kind, ...content });
  for (const [group, kind] of [
    ['apiserver.config.k8s.io/v1', 'ResourceQuotaConfiguration'],
    ['resourcequota.admission.k8s.io/v1beta1', 'Configuration'],
    ['resourcequota.admission.k8s.io/v1alpha1', 'Configuration'],
  ] as const)
    expect((await readOne('ResourceQuota', of(group, kind))).options).toEqual({ resourceQuota: { limitedResources } });
  const wrong = { limitedResources: [{ matchScopes: [{ scopeName: 'PriorityClass', operator: 'Is' }] }] };
  expect(
    await refusalOf('ResourceQuota', of('apiserver.config.k8s.io/v1', 'ResourceQuotaConfiguration', wrong)),
  ).toContain(
    '/etc/plugin.yaml: [limitedResources[0].resource: Required value, limitedResources[0].matchScopes[0].operator: Unsupported value: "Is": supported values: "In", "NotIn", "Exists", "DoesNotExist"]',
  );
});

test('the configuration of PodTolerationRestriction', async () => {
  const of = (content: object) =>
    JSON.stringify({
      apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
      kind: 'Configuration',
      ...content,
    });
  const green = { key: 'green', operator: 'Exists' };
  const { options } = await readOne('PodTolerationRestriction', of({ default: [green], whitelist: [green] }));
  expect(options.podTolerationRestriction).toMatchObject({ default: [green], whitelist: [green] });
  expect(await refusalOf('PodTolerationRestriction', of({ whitelist: [{ key: 'a', operator: 'Is' }] }))).toContain(
    '/etc/plugin.yaml: podtolerationrestriction.whitelist[0].operator: Unsupported value: "Is"',
  );
});

test('the configuration of PodNodeSelector', async () => {
  expect(await refusalOf('PodNodeSelector', 'a: b')).toContain('podNodeSelectorPluginConfig: Required value');
  expect(await refusalOf('PodNodeSelector', 'podNodeSelectorPluginConfig: { team: a }')).toContain(
    '/etc/plugin.yaml: podNodeSelectorPluginConfig[team]: Invalid value: "a": must be a selector of labels',
  );
});

test('the configuration of ImagePolicyWebhook: seconds, 0 for the default, -1 for none', async () => {
  const of = (content: object) => JSON.stringify({ imagePolicy: { kubeConfigFile: '/etc/images', ...content } });
  const { options, connected } = await readOne(
    'ImagePolicyWebhook',
    of({ allowTTL: 50, denyTTL: -1, defaultAllow: true }),
  );
  expect(connected).toEqual(['/etc/images']);
  expect(options.imagePolicyWebhook).toEqual({
    ...{ post, defaultAllow: true, retryBackoff: 500, allowTtl: 50_000, denyTtl: 0 },
  });
  expect(await refusalOf('ImagePolicyWebhook', of({ allowTTL: 1801, retryBackoff: 300_001 }))).toContain(
    '[imagePolicy.retryBackoff: Invalid value: 300001: valid value is between 1ns and 5m0s, got 5m0.001s, imagePolicy.allowTTL: Invalid value: 1801: valid value is between 1s and 30m0s, got 30m1s]',
  );
  expect(await refusalOf('ImagePolicyWebhook', of({ kubeConfigFile: '' }))).toContain(
    'imagePolicy.kubeConfigFile: Required value',
  );
});

test('the configurations of webhooks: a kubeconfig for each phase', async () => {
  const of = (kubeConfigFile: string, version = 'v1', kind = 'WebhookAdmissionConfiguration') => ({
    configuration: { apiVersion: `apiserver.config.k8s.io/${version}`, kind, kubeConfigFile },
  });
  const { options, connected } = await read({
    '/etc/admission.yaml': configurationOf([
      { name: 'MutatingAdmissionWebhook', ...of('/etc/mutating') },
      { name: 'ValidatingAdmissionWebhook', ...of('/etc/validating', 'v1alpha1', 'WebhookAdmission') },
    ]),
  });
  expect(connected).toEqual(['/etc/mutating', '/etc/validating']);
  expect(options).toEqual({ mutatingWebhooks: { credentials }, validatingWebhooks: { credentials } });
  const relative = configurationOf([{ name: 'MutatingAdmissionWebhook', ...of('mutating') }]);
  expect(await refusal(read({ '/etc/admission.yaml': relative }))).toContain(
    'plugins[0].configuration: kubeConfigFile: Invalid value: "mutating": must be an absolute file path',
  );
});
