import { chmodSync, mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { defineDialect, kubernetes, orch } from '../../../src/foundation/index.js';
import {
  KubeConfigError,
  kubeConfigOfPod,
  loadKubeConfig,
  mergeKubeConfigs,
  parseKubeConfig,
} from '../../../src/client/kubeconfig/index.js';
import { base64, configOf, Folder } from './workshop.js';

const server = 'https://127.0.0.1:6443';

describe('the location of a configuration', () => {
  test('each dialect has a variable and a file in the home directory', () => {
    expect([kubernetes.clientConfigVariable, kubernetes.clientConfigFile]).toEqual(['KUBECONFIG', '.kube/config']);
    expect([orch.clientConfigVariable, orch.clientConfigFile]).toEqual(['ORCHCONFIG', '.orch/config']);
    expect(kubernetes.pod).toEqual({
      hostVariable: 'KUBERNETES_SERVICE_HOST',
      portVariable: 'KUBERNETES_SERVICE_PORT',
      serviceAccountFolder: '/var/run/secrets/kubernetes.io/serviceaccount',
    });
    expect(
      defineDialect({ name: 'a-b', product: 'a-b', groupSuffix: 'a.b', labelDomain: 'a.b' }).clientConfigVariable,
    ).toBe('A_BCONFIG');
  });

  test('the variable lists files; missing and empty names are skipped, a repeated name is read once', async () => {
    const folder = new Folder();
    const first = folder.config('first', configOf({ server }));
    const second = folder.config('second', {
      'current-context': 'two',
      contexts: [{ name: 'two', context: { cluster: 'one' } }],
    });
    const config = await loadKubeConfig({
      env: { KUBECONFIG: `${folder.join('none')}::${first}:${second}:${first}` },
      dialect: kubernetes,
    });
    expect([...config.contexts.keys()]).toEqual(['one', 'two']);
    expect(config.currentContext).toBe('one');
  });

  test('without the variable it is the file in the home directory', async () => {
    const folder = new Folder();
    mkdirSync(folder.join('.orch'));
    folder.config('.orch/config', configOf({ server }));
    expect((await loadKubeConfig({ env: { HOME: folder.path } })).clusters.get('one')?.server).toBe(server);
    expect((await loadKubeConfig({ env: { HOME: folder.path }, dialect: kubernetes })).clusters.size).toBe(0);
  });

  test('an error is reported if all listed files are missing', async () => {
    const reported: string[] = [];
    const config = await loadKubeConfig({
      env: { ORCHCONFIG: '/none/a:/none/b' },
      warn: ({ message }) => reported.push(message),
    });
    expect(config.clusters.size).toBe(0);
    expect(reported).toEqual(['Config not found: /none/a, /none/b']);
  });

  test('an explicit file must exist, and is the only one', async () => {
    const folder = new Folder();
    const path = folder.config('a', configOf({ server }));
    const env = { ORCHCONFIG: folder.config('b', { 'current-context': 'other' }) };
    expect((await loadKubeConfig({ explicitPath: path, env })).currentContext).toBe('one');
    await expect(loadKubeConfig({ explicitPath: '/none/config', env })).rejects.toThrow(
      new KubeConfigError('stat /none/config: no such file or directory'),
    );
  });
});

describe('merging', () => {
  test('the first entry of a name is used as a whole, as is the first current context', async () => {
    const first = await parseKubeConfig(
      'users: [{name: red, user: {token: a}}]\nclusters: [{name: one, cluster: {server: x}}]',
    );
    const second = await parseKubeConfig(
      'current-context: second\nusers: [{name: red, user: {username: b}}, {name: blue, user: {}}]',
    );
    const third = await parseKubeConfig('current-context: third');
    const merged = mergeKubeConfigs([first, second, third]);
    expect(merged.users.get('red')).toMatchObject({ token: 'a', username: undefined });
    expect([...merged.users.keys()]).toEqual(['red', 'blue']);
    expect(merged.currentContext).toBe('second');
  });

  test('relative paths start from the directory of the file that contains them', async () => {
    const [a, b] = [new Folder(), new Folder()];
    const one = a.config('config', {
      clusters: [{ name: 'one', cluster: { server, 'certificate-authority': 'ca.crt' } }],
    });
    const two = b.config('config', {
      users: [
        {
          name: 'one',
          user: {
            'client-certificate': '../c.crt',
            'client-key': '/abs/key',
            tokenFile: 'token',
            exec: { command: './bin/plugin' },
          },
        },
        { name: 'two', user: { exec: { command: 'plugin' } } },
      ],
    });
    const config = await loadKubeConfig({ paths: [one, two] });
    expect(config.clusters.get('one')?.certificateAuthority).toBe(a.join('ca.crt'));
    expect(config.users.get('one')).toMatchObject({
      clientCertificate: b.join('../c.crt'),
      clientKey: '/abs/key',
      tokenFile: b.join('token'),
      exec: { command: b.join('bin/plugin') },
    });
    expect(config.users.get('two')?.exec?.command).toBe('plugin');
  });
});

describe('the contents of a configuration', () => {
  test('every field, from YAML and from JSON', async () => {
    const written = {
      ...configOf(
        {
          server,
          'tls-server-name': 'api.example',
          'insecure-skip-tls-verify': true,
          'certificate-authority-data': base64('PEM'),
          'proxy-url': 'http://p',
          'disable-compression': true,
          extensions: [{ name: 'client.authentication.orch.io/exec', extension: { audience: 'x' } }],
        },
        {
          'client-certificate-data': base64('C'),
          'client-key-data': base64('K'),
          token: 't',
          username: 'u',
          password: 'p',
          as: 'jane',
          'as-uid': '7',
          'as-groups': ['g'],
          'as-user-extra': { scopes: ['a', 'b'] },
          'auth-provider': { name: 'gcp', config: {} },
          exec: {
            command: 'plugin',
            args: ['x'],
            env: [{ name: 'A', value: 'b' }],
            apiVersion: 'client.authentication.orch.io/v1',
            installHint: 'hint',
            provideClusterInfo: true,
            interactiveMode: 'Never',
          },
        },
        { namespace: 'shop' },
      ),
      preferences: { colors: true },
      unknown: 1,
    };
    const folder = new Folder();
    const config = await loadKubeConfig({ paths: [folder.config('config', written)] });
    expect(await parseKubeConfig(JSON.stringify(written))).toEqual(config);
    expect(config.clusters.get('one')).toEqual({
      server,
      tlsServerName: 'api.example',
      insecureSkipTlsVerify: true,
      certificateAuthority: undefined,
      certificateAuthorityData: 'PEM',
      proxyUrl: 'http://p',
      disableCompression: true,
      extensions: new Map([['client.authentication.orch.io/exec', { audience: 'x' }]]),
    });
    expect(config.users.get('one')).toEqual({
      clientCertificate: undefined,
      clientCertificateData: 'C',
      clientKey: undefined,
      clientKeyData: 'K',
      token: 't',
      tokenFile: undefined,
      username: 'u',
      password: 'p',
      impersonate: 'jane',
      impersonateUid: '7',
      impersonateGroups: ['g'],
      impersonateUserExtra: new Map([['scopes', ['a', 'b']]]),
      authProvider: 'gcp',
      exec: {
        command: 'plugin',
        args: ['x'],
        env: [{ name: 'A', value: 'b' }],
        apiVersion: 'client.authentication.orch.io/v1',
        installHint: 'hint',
        provideClusterInfo: true,
        interactiveMode: 'Never',
      },
    });
    expect(config.contexts.get('one')).toEqual({ cluster: 'one', user: 'one', namespace: 'shop' });
  });

  test('an empty file is a valid configuration', async () => {
    for (const text of ['', '{}', '# only words', 'null']) expect((await parseKubeConfig(text)).clusters.size).toBe(0);
  });

  test.each([
    ['client.authentication.orch.io/v1beta1', orch, 'IfAvailable'],
    ['client.authentication.orch.io/v1', orch, undefined],
    ['client.authentication.k8s.io/v1beta1', kubernetes, 'IfAvailable'],
    ['client.authentication.k8s.io/v1beta1', orch, undefined],
  ])('the interactive mode of %s has its default', async (apiVersion, dialect, mode) => {
    const config = await parseKubeConfig(JSON.stringify(configOf({}, { exec: { apiVersion } })), { dialect });
    expect(config.users.get('one')?.exec?.interactiveMode).toBe(mode);
  });
});

describe('an unreadable configuration', () => {
  test.each([
    [
      'clusters: [{name: a}, {name: b, cluster: {server: 5}}]',
      'clusters[1].cluster.server: expected a string, got a number',
    ],
    ['clusters: {}', 'clusters: expected a list, got an object'],
    ['clusters: [1]', 'clusters[0]: expected an object, got a number'],
    ['users: [{name: a, user: {token: 123456}}]', 'users[0].user.token: expected a string, got a number'],
    ['users: [{name: a, user: {token: [s3cret]}}]', 'users[0].user.token: expected a string, got a list'],
    ['users: [{name: a, user: {as-groups: [x, 1]}}]', 'users[0].user.as-groups[1]: expected a string, got a number'],
    [
      'users: [{name: a, user: {as-user-extra: {k: v}}}]',
      'users[0].user.as-user-extra.k: expected a list, got a string',
    ],
    [
      'users: [{name: a, user: {exec: {env: [{name: A, value: true}]}}}]',
      'users[0].user.exec.env[0].value: expected a string, got a boolean',
    ],
    [
      'users: [{name: a, user: {exec: {provideClusterInfo: "yes"}}}]',
      'users[0].user.exec.provideClusterInfo: expected a boolean, got a string',
    ],
    [
      'users: [{name: a, user: {client-key-data: "c2Vj!"}}]',
      'users[0].user.client-key-data: illegal base64 data at input byte 4',
    ],
    [
      'users: [{name: a, user: {client-key-data: "c2VjcmV0c"}}]',
      'users[0].user.client-key-data: illegal base64 data at input byte 8',
    ],
    ['users: [{name: a}, {name: a, user: {token: s3cret}}]', 'users: duplicate name "a" in list'],
    ['current-context: [a]', 'current-context: expected a string, got a list'],
    ['kind: Pod', 'no kind "Pod" is registered for version "v1"'],
    ['apiVersion: v2', 'no kind "Config" is registered for version "v2"'],
    ['- a', 'the configuration is not an object'],
    ['a: b: c', 'yaml: line 1: mapping values are not allowed in this context'],
    ['a: 1\nusers: *s3cret', 'yaml: unknown anchor'],
    ['users: [{user: {password: 12345678901234567890123}}]', 'users[0].user.password: expected a string, got a number'],
    ['users: !!int s3cret', 'yaml: cannot decode'],
    ['a: "\\s3cret"', 'yaml: line 1: '],
    ['a: @s3cret', 'yaml: line 1: '],
    ['a: |s3cret', 'yaml: line 1: '],
    ['a: {b: s3cret', 'yaml: line 1: '],
    ['a: !s3cret!x y', 'yaml: line 1: '],
  ])('%j', async (text, message) => {
    const folder = new Folder();
    const path = folder.write('config', text);
    const error: unknown = await loadKubeConfig({ paths: [path] }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(KubeConfigError);
    expect((error as Error).message).toMatch(
      new RegExp(`^error loading config file "${path}": ${message.replaceAll(/[.[\]*()]/g, '\\$&')}`),
    );
    expect((error as Error).message).not.toMatch(/s3cret|123456/);
  });

  test('files that cannot be opened, and all problems together', async () => {
    const folder = new Folder();
    const bad = folder.write('bad', 'kind: Pod');
    const unreadable = folder.config('unreadable', {});
    chmodSync(unreadable, 0);
    const problems = [
      `error loading config file "${bad}": no kind "Pod" is registered for version "v1"`,
      `error loading config file "${folder.path}": read ${folder.path}: is a directory`,
    ];
    // The superuser can read every file.
    if (process.getuid?.() !== 0)
      problems.push(`error loading config file "${unreadable}": open ${unreadable}: permission denied`);
    await expect(loadKubeConfig({ paths: [bad, folder.path, unreadable, '/none'] })).rejects.toThrow(
      new KubeConfigError(`[${problems.join(', ')}]`),
    );
  });

  test('a file that is too long', async () => {
    const folder = new Folder();
    const path = folder.write('config', `# ${'x'.repeat(98)}`);
    await expect(loadKubeConfig({ paths: [path], maxBytes: 100 })).resolves.toBeDefined();
    await expect(loadKubeConfig({ paths: [path], maxBytes: 99 })).rejects.toThrow(
      `error loading config file "${path}": read ${path}: the file is longer than 99 bytes`,
    );
  });
});

describe('in a pod', () => {
  test('the environment names the server and a directory contains the rest', async () => {
    const folder = new Folder();
    folder.write('namespace', 'shop\n');
    const config = await kubeConfigOfPod({
      env: { ORCH_SERVICE_HOST: 'fd00::1', ORCH_SERVICE_PORT: '443' },
      folder: folder.path,
    });
    expect(config.clusters.get('in-cluster')).toEqual({
      server: 'https://[fd00::1]:443',
      certificateAuthority: folder.join('ca.crt'),
    });
    expect(config.users.get('in-cluster')).toEqual({ tokenFile: folder.join('token') });
    expect(config.contexts.get('in-cluster')?.namespace).toBe('shop');
  });

  test('outside a pod it is rejected', async () => {
    await expect(kubeConfigOfPod({ env: { KUBERNETES_SERVICE_HOST: 'a' }, dialect: kubernetes })).rejects.toThrow(
      'unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
    );
  });
});
