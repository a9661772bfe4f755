import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiServer } from '../../src/entries/index.js';
import { defineResource } from '../../src/registry/definition/definition.js';
import { RuntimeConfig } from '../../src/server/settings/runtime-config.js';

const registered = [
  { group: '', version: 'v1' },
  { group: 'certs.example', version: 'v1' },
  { group: 'certs.example', version: 'v1beta1' },
  { group: 'certs.example', version: 'v1alpha1' },
  { group: 'old.example', version: 'v1beta1' },
];
const options = { registered, enabledBetas: [{ group: 'old.example', version: 'v1beta1' }] };

const enabled = (text: string): string =>
  registered
    .flatMap(({ group, version }) =>
      RuntimeConfig.parse(text, options).isEnabled(group, version) ? [`${group}/${version}`] : [],
    )
    .join(' ');

describe('the option of a server', () => {
  const Rocket = defineResource({
    group: 'space.example',
    version: 'v1alpha1',
    kind: 'Rocket',
    plural: 'rockets',
    scope: 'Cluster',
    schema: () => z.object({}),
  });
  const start = (runtimeConfig: string) => new ApiServer({ dialect: 'kubernetes', resources: [Rocket], runtimeConfig });

  it.each([
    ['nowhere.example/v1=true', 'runtimeConfig: unknown api groups nowhere.example; this server has '],
    ['certificates.orch.io/v1alpha1=true', 'runtimeConfig: unknown api groups certificates.orch.io; this server has '],
    [
      'certificates.k8s.io/v9',
      'runtimeConfig: group version certificates.k8s.io/v9 that has not been registered; this server has ',
    ],
    [
      'space.example/v1',
      'runtimeConfig: group version space.example/v1 that has not been registered; this server has ',
    ],
    ['/v9=true', 'runtimeConfig: group version v9 that has not been registered; this server has /v1, '],
  ])('%j is rejected', (text, message) => {
    expect(() => start(text)).toThrow(TypeError);
    expect(() => start(text)).toThrow(message);
  });

  it('may name versions of custom kinds, and unknown resources, as in Kubernetes', async () => {
    await start(
      'space.example/v1alpha1=true,certificates.k8s.io/v1/unheardof=true,/v1/nothing=false,api/beta=false',
    ).close();
  });
});

describe('RuntimeConfig', () => {
  it.each([
    ['', '/v1 certs.example/v1 old.example/v1beta1'],
    ['certs.example/v1alpha1=true', '/v1 certs.example/v1 certs.example/v1alpha1 old.example/v1beta1'],
    ['certs.example/v1alpha1', '/v1 certs.example/v1 certs.example/v1alpha1 old.example/v1beta1'],
    [' certs.example/v1 = false ', '/v1 old.example/v1beta1'],
    ['api/alpha=true', '/v1 certs.example/v1 certs.example/v1alpha1 old.example/v1beta1'],
    ['api/beta=false', '/v1 certs.example/v1'],
    ['api/all=true', '/v1 certs.example/v1 certs.example/v1beta1 certs.example/v1alpha1 old.example/v1beta1'],
    ['api/all=false,/v1=true', '/v1'],
    ['api/all=false,api/ga=true', '/v1 certs.example/v1'],
    ['api/ga=false,certs.example/v1', 'certs.example/v1 old.example/v1beta1'],
  ])('%j', (text, expected) => {
    expect(enabled(text)).toBe(expected);
  });

  it('can disable one resource of a version', () => {
    const config = RuntimeConfig.parse('certs.example/v1alpha1/bundles=true,certs.example/v1/requests=false', options);
    expect(config.isEnabled('certs.example', 'v1alpha1')).toBe(false);
    expect(config.isEnabled('certs.example', 'v1alpha1', 'bundles')).toBe(true);
    expect(config.isEnabled('certs.example', 'v1alpha1', 'others')).toBe(false);
    expect(config.isEnabled('certs.example', 'v1', 'requests')).toBe(false);
    expect(config.isEnabled('certs.example', 'v1', 'others')).toBe(true);
  });

  it.each([
    ['api/all=false', 'invalid key with only api/all=false'],
    ['nowhere.example/v1=true', 'unknown api groups nowhere.example'],
    ['certs.example/v9=true', 'group version certs.example/v9 that has not been registered'],
    ['/v9=true', 'group version v9 that has not been registered'],
    ['certs.example', 'runtime-config invalid key certs.example'],
    ['a/b/c/d', 'runtime-config invalid key a/b/c/d'],
    [
      'certs.example/v1=maybe',
      'invalid value of certs.example/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    ['api/beta=1', 'invalid value api/beta=1'],
    ['api/legacy=true', 'unknown api groups api'],
    [
      'certs.example/v1/Requests',
      'invalid key certs.example/v1/Requests: group/version/resource and resource is always lowercase plural, not "Requests"',
    ],
  ])('%j is rejected', (text, message) => {
    expect(() => RuntimeConfig.parse(text, options)).toThrow(new Error(message));
  });

  it('ignores unknown groups if none are declared', () => {
    expect(RuntimeConfig.parse('later.example/v1alpha1').isEnabled('later.example', 'v1alpha1')).toBe(true);
  });
});
