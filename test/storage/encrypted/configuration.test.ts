/** Which configurations are refused, in the words of Kubernetes, and which provider serves a key. */
import { describe, expect, it } from 'vitest';
import { parseEncryptionConfiguration } from '../../../src/storage/encrypted/index.js';
import { UnreadableValueError } from '../../../src/storage/index.js';
import { kubernetes, orch, type JsonValue } from '../../../src/foundation/index.js';
import { configuration, encryption, entry, KEY_1, KEY_2, provider } from './configurations.js';

const identity = provider('identity');
const cbc = (secret: string, name = 'one'): JsonValue => provider('aescbc', { [name]: secret });
const parse = (value: JsonValue): unknown => parseEncryptionConfiguration(value, orch);
const short = Buffer.alloc(5, 1).toString('base64');

describe('a configuration is refused', () => {
  const overlap =
    "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";
  it.each<[string, JsonValue, string]>([
    ['without entries', configuration(), 'resources: Required value: at least one resources is required'],
    [
      'without resources and providers',
      configuration(entry([])),
      '[resources[0].resources: Required value: at least one resources[0].resources is required, resources[0].providers: Required value: at least one resources[0].providers is required]',
    ],
    [
      'with the same resource twice',
      configuration(entry(['secrets', 'secrets'], identity)),
      'resources[0].resources: Invalid value: []string{"secrets", "secrets"}: the same resource cannot be specified multiple times',
    ],
    [
      'with overlapping masks',
      configuration(entry(['secrets', '*.'], identity)),
      `resources[0].resources: Invalid value: []string{"secrets", "*."}: ${overlap}`,
    ],
    [
      'with a mask of everything beside another',
      configuration(entry(['*.*', 'deployments.apps'], identity)),
      `resources[0].resources: Invalid value: []string{"*.*", "deployments.apps"}: ${overlap}`,
    ],
    [
      'with capital letters',
      configuration(entry(['Secrets'], identity)),
      'resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters',
    ],
    [
      'with a lone star',
      configuration(entry(['*'], identity)),
      `resources[0].resources[0]: Invalid value: "*": use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources`,
    ],
    [
      'with a resource across groups',
      configuration(entry(['secrets.*'], identity)),
      'resources[0].resources[0]: Invalid value: "secrets.*": encrypting the same resource across groups is not supported',
    ],
    [
      'with the other group of events',
      configuration(entry(['events.events.orch.io'], identity)),
      `resources[0].resources[0]: Invalid value: "events.events.orch.io": '*.events.orch.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file`,
    ],
    [
      'with a provider of two kinds',
      configuration(entry(['secrets'], { identity: {}, aescbc: { keys: [{ name: 'one', secret: KEY_1 }] } })),
      'resources[0].providers[0]: Invalid value: "REDACTED": more than one provider specified in a single element, should split into different list elements',
    ],
    [
      'with a provider of no kind',
      configuration(entry(['secrets'], {})),
      'resources[0].providers[0]: Invalid value: "REDACTED": provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
    ],
    [
      'without keys',
      configuration(entry(['secrets'], provider('aesgcm'))),
      'resources[0].providers[0].aesgcm.keys: Required value: at least one keys is required',
    ],
    [
      'with a key of another length',
      configuration(entry(['secrets'], cbc(short))),
      'resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 5, expected one of [16 24 32]',
    ],
    [
      'with a short key of secretbox',
      configuration(entry(['secrets'], provider('secretbox', { a: Buffer.alloc(16).toString('base64') }))),
      'resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 16, expected one of [32]',
    ],
    [
      'with a key that is not base64',
      configuration(entry(['secrets'], cbc('geheim!'))),
      'resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded',
    ],
    [
      'with the first version of key services',
      configuration(entry(['secrets'], { kms: { name: 'a', endpoint: 'unix:///a' } })),
      'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.',
    ],
    [
      'with an unknown version of key services',
      configuration(entry(['secrets'], { kms: { apiVersion: 'v3', name: 'a', endpoint: 'unix:///a' } })),
      'resources[0].providers[0].kms.apiVersion: Invalid value: "v3": unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported',
    ],
    [
      'with a key service at another scheme, and a bad timeout',
      configuration(
        entry(['secrets'], {
          kms: { apiVersion: 'v2', name: 'a', endpoint: 'tcp://a:1', timeout: '-3s', cachesize: 5 },
        }),
      ),
      '[resources[0].providers[0].kms.timeout: Invalid value: "-3s": timeout should be a positive value, resources[0].providers[0].kms.endpoint: Invalid value: "tcp://a:1": unsupported scheme "tcp" for KMS provider, only unix is supported, resources[0].providers[0].kms.cachesize: Invalid value: 5: cachesize is not supported in v2]',
    ],
    [
      'with names of key services that are invalid',
      configuration(
        entry(
          ['secrets'],
          { kms: { apiVersion: 'v2', name: 'a:b', endpoint: 'unix:///a' } },
          { kms: { apiVersion: 'v2', name: '', endpoint: '' } },
          { kms: { apiVersion: 'v2', name: 'a:b', endpoint: 'unix:///a' } },
        ),
      ),
      `[resources[0].providers[0].kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':', resources[0].providers[1].kms.name: Required value: name is a mandatory field for a provider, resources[0].providers[1].kms.endpoint: Invalid value: "": endpoint is a mandatory field for a kms, resources[0].providers[2].kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':', resources[0].providers[2].kms.name: Invalid value: "a:b": duplicate KMS provider name a:b, names must be unique]`,
    ],
    [
      'with an unknown field',
      { ...(configuration(entry(['secrets'], identity)) as object), keys: 1 },
      'strict decoding error: unknown field "keys"',
    ],
    [
      'of another dialect',
      { ...(configuration(entry(['secrets'], identity)) as object), apiVersion: 'apiserver.config.k8s.io/v1' },
      'no kind "EncryptionConfiguration" is registered for version "apiserver.config.k8s.io/v1"',
    ],
  ])('%s', (_, value, message) => {
    expect(() => parse(value)).toThrow(new Error(message));
  });

  it('without a message that shows a secret', () => {
    const secret = 'Z2VoZWlt';
    for (const value of [
      entry(['Secrets'], cbc(secret)),
      entry(['secrets'], { aescbc: { keys: [{ name: '', secret }] } }),
    ])
      expect(() => parse(configuration(value))).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining(secret) as string }),
      );
  });
});

it('takes the names of the dialect', () => {
  const value = {
    ...(configuration(entry(['secrets'], identity)) as object),
    apiVersion: 'apiserver.config.k8s.io/v1',
  };
  expect(parseEncryptionConfiguration(value, kubernetes).resources).toHaveLength(1);
});

describe('a mask covers', () => {
  it.each<[string, string, boolean]>([
    ['secrets', '/registry/secrets/default/a', true],
    ['secrets', '/registry/configmaps/default/a', false],
    ['secrets', '/registry/shop.example/secrets/default/a', false],
    ['secrets', '/internal/service-account-signing-key', true],
    ['secrets', '/internal/store', false],
    ['*.*', '/internal/store', false],
    ['configmaps', '/internal/service-account-signing-key', false],
    ['services', '/registry/services/specs/default/a', true],
    ['services', '/registry/services/endpoints/default/a', false],
    ['endpoints', '/registry/services/endpoints/default/a', true],
    ['nodes', '/registry/minions/a', true],
    ['ingresses.networking.orch.io', '/registry/ingress/default/a', true],
    ['events', '/registry/events/default/a', true],
    ['widgets.shop.example', '/registry/shop.example/widgets/default/a', true],
    ['*.shop.example', '/registry/shop.example/widgets/default/a', true],
    ['*.', '/registry/secrets/default/a', true],
    ['*.', '/registry/shop.example/widgets/default/a', false],
    ['*.*', '/registry/shop.example/widgets/default/a', true],
    ['*.apps', '/registry/configmaps/default/a', false],
  ])('%s of %s: %s', async (mask, key, isCovered) => {
    const codec = await encryption(entry([mask], cbc(KEY_1)));
    expect(codec.protectionOf(key) !== undefined).toBe(isCovered);
  });
});

describe('the order of providers', () => {
  const KEY = '/registry/secrets/default/a';
  const TEXT = '{"kind":"Secret","apiVersion":"v1","metadata":{"resourceVersion":"0"}}';

  it('an earlier entry masks later ones', async () => {
    const codec = await encryption(entry(['secrets'], identity), entry(['*.*'], cbc(KEY_1)));
    expect(codec.encode(KEY, TEXT)).toEqual({ stored: TEXT, protection: undefined });
    expect(codec.encode('/registry/configmaps/a/b', TEXT).stored).toMatch(/^\{"encrypted":"k8s:enc:aescbc:v1:one:"/);
  });

  it('the first provider writes, and all read', async () => {
    const old = await encryption(entry(['secrets'], cbc(KEY_1, 'old')));
    const rotated = await encryption(
      entry(['secrets'], provider('aesgcm', { new: KEY_2 }), cbc(KEY_1, 'old'), identity),
    );
    const { stored } = old.encode(KEY, TEXT);
    const { text, protection } = rotated.decode(KEY, stored);
    expect(text).toBe(TEXT);
    expect(protection).not.toBe(rotated.protectionOf(KEY));
    expect(rotated.decode(KEY, TEXT)).toEqual({ text: TEXT, protection: undefined });
    const written = rotated.encode(KEY, TEXT).stored;
    expect(written).toMatch(/^\{"encrypted":"k8s:enc:aesgcm:v1:new:"/);
    expect(rotated.decode(KEY, written)).toEqual({ text: TEXT, protection: rotated.protectionOf(KEY) });
  });

  it('two keys of one name are told apart', async () => {
    const old = await encryption(entry(['secrets'], provider('secretbox', { one: KEY_1 })));
    const both = await encryption(
      entry(['secrets'], provider('secretbox', { one: KEY_2 }), provider('secretbox', { one: KEY_1 })),
    );
    const { protection } = both.decode(KEY, old.encode(KEY, TEXT).stored);
    expect(protection).toBe(old.protectionOf(KEY));
    expect(protection).not.toBe(both.protectionOf(KEY));
  });

  it('a value that no provider reads is refused by name', async () => {
    const { stored } = (await encryption(entry(['secrets'], cbc(KEY_1)))).encode(KEY, TEXT);
    const refusal = (reason: string): UnreadableValueError => new UnreadableValueError(KEY, reason);
    const other = await encryption(entry(['secrets'], provider('aesgcm', { one: KEY_1 })));
    expect(() => other.decode(KEY, stored)).toThrow(refusal('no matching prefix found'));
    expect(() => other.decode(KEY, TEXT)).toThrow(refusal('no matching prefix found'));
    const gcm = other.encode(KEY, TEXT).stored;
    const wrong = await encryption(entry(['secrets'], provider('aesgcm', { one: KEY_2 })));
    expect(() => wrong.decode(KEY, gcm)).toThrow(
      `unable to transform key "${KEY}": the value was damaged, or encrypted with another key`,
    );
    expect(() => other.decode('/registry/secrets/default/b', gcm)).toThrow('for another storage key');
    const uncovered = await encryption(entry(['configmaps'], cbc(KEY_1)));
    expect(() => uncovered.decode(KEY, stored)).toThrow('no encryption configuration');
  });

  it('a reload replaces the providers, or none when it is invalid', async () => {
    const codec = await encryption(entry(['secrets'], cbc(KEY_1)));
    const before = codec.protectionOf(KEY);
    expect(() => codec.reload(configuration())).toThrow('at least one resources');
    expect(codec.protectionOf(KEY)).toBe(before);
    await codec.reload(configuration(entry(['secrets'], identity, cbc(KEY_1))));
    expect(codec.protectionOf(KEY)).toBeUndefined();
  });
});
