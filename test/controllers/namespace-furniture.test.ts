import { describe, expect, test } from 'vitest';
import { kubernetes, orch } from '../../src/foundation/index.js';
import { harness, kit, orAbsent } from './harness.js';

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

describe('the default service account', () => {
  test('exists in every active namespace, from the start and in new ones', async () => {
    await using h = harness();
    const { namespaces } = kit(h.client);
    await namespaces.create({ metadata: { name: 'late' } });
    await h.settled();
    for (const { metadata } of (await namespaces.list()).items) {
      expect(
        (await kit(h.client, metadata.name).accounts.list()).items.map((account) => account.metadata.name),
      ).toEqual(['default']);
    }
  });

  test('is recreated when it is deleted; other accounts are not', async () => {
    await using h = harness();
    const { accounts } = kit(h.client);
    await h.settled();
    const first = await accounts.get('default');
    await accounts.create({ metadata: { name: 'other' } });
    await accounts.delete('default');
    await accounts.delete('other');
    await h.settled();
    expect((await accounts.get('default')).metadata.uid).not.toBe(first.metadata.uid);
    expect(await orAbsent(accounts.get('other'))).toBeUndefined();
  });

  test('is not recreated in a terminating namespace', async () => {
    await using h = harness();
    const { namespaces } = kit(h.client);
    await namespaces.create({ metadata: { name: 'held' }, spec: { finalizers: ['example.com/hold'] } });
    await h.settled();
    await namespaces.delete('held');
    await h.settled();
    expect((await kit(h.client, 'held').accounts.list()).items).toEqual([]);
    expect(h.errors).toEqual([]);
  });

  test('is not created if the controller is disabled', async () => {
    await using h = harness({ disabled: ['serviceaccount'] });
    await h.settled();
    expect((await kit(h.client).accounts.list()).items).toEqual([]);
  });
});

describe('the ConfigMap of the certificate authority', () => {
  test.each([kubernetes, orch])(
    'exists in every active namespace, under the name of the dialect $name',
    async (dialect) => {
      await using h = harness({ rootCertificateAuthority: () => PEM, dialect }, { dialect });
      await kit(h.client).namespaces.create({ metadata: { name: 'late' } });
      await h.settled();
      for (const { metadata } of (await kit(h.client).namespaces.list()).items) {
        const all = (await kit(h.client, metadata.name).maps.list()).items;
        // The list of the system namespace asks for the credentials for other servers, too.
        const items = all.filter((map) => map.metadata.name !== 'extension-apiserver-authentication');
        expect(items.map((map) => [map.metadata.name, map.data])).toEqual([
          [dialect.rootCaConfigMap, { 'ca.crt': PEM }],
        ]);
        expect(items[0]?.metadata.annotations?.[dialect.descriptionAnnotation]).toContain(dialect.apiServerName);
      }
    },
  );

  test('has the names of Kubernetes', () => {
    expect([kubernetes.rootCaConfigMap, kubernetes.descriptionAnnotation]).toEqual([
      'kube-root-ca.crt',
      'kubernetes.io/description',
    ]);
    expect([orch.rootCaConfigMap, orch.descriptionAnnotation]).toEqual(['orch-root-ca.crt', 'orch.io/description']);
  });

  test('is repaired when it is changed, and recreated when it is deleted', async () => {
    await using h = harness({ rootCertificateAuthority: () => PEM });
    const { maps } = kit(h.client);
    const name = kubernetes.rootCaConfigMap;
    await h.settled();
    const map = await maps.get(name);
    await maps.update({
      ...map,
      metadata: { ...map.metadata, labels: { mine: 'yes' } },
      data: { 'ca.crt': 'forged', more: 'x' },
    });
    await h.settled();
    const repaired = await maps.get(name);
    expect(repaired.data).toEqual({ 'ca.crt': PEM });
    expect(repaired.metadata.labels).toEqual({ mine: 'yes' });
    delete repaired.metadata.annotations;
    await maps.update(repaired);
    await h.settled();
    expect(Object.keys((await maps.get(name)).metadata.annotations ?? {})).toEqual(['kubernetes.io/description']);
    await maps.delete(name);
    await h.settled();
    expect((await maps.get(name)).data).toEqual({ 'ca.crt': PEM });
    expect(h.errors).toEqual([]);
  });

  test('is missing without an authority, and follows a change of it', async () => {
    let pem: string | undefined;
    await using h = harness({ rootCertificateAuthority: () => pem });
    const { maps } = kit(h.client);
    await h.settled();
    expect((await maps.list()).items).toEqual([]);
    for (pem of [PEM, `${PEM}${PEM}`]) {
      await h.settled();
      expect((await maps.get(kubernetes.rootCaConfigMap)).data).toEqual({ 'ca.crt': pem });
    }
  });
});
