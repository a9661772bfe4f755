import { describe, expect, test } from 'vitest';
import { admissionPluginNames, defaultAdmissionPlugins } from '../../../src/admission/plugins/table.js';
import { admissionOf } from '../../../src/cli/serve/admission.js';
import { ApiServer, type ApiServerOptions } from '../../../src/entries/index.js';
import { PriorityClass } from '../../../src/entries/kinds.js';
import { PluginWorld } from './support.js';

type Switches = NonNullable<ApiServerOptions['admission']>;
const refusalOf = (admission: object): string => {
  try {
    new ApiServer({ admission: admission as Switches });
    return '';
  } catch (error) {
    return String(error);
  }
};

describe('the option admission', () => {
  test('refuses unknown names, and lists the known ones', () => {
    for (const list of ['enable', 'disable'])
      expect(refusalOf({ [list]: ['PodSecurityPolicy'] })).toBe(
        `TypeError: ApiServer: the option admission.${list}: the admission plugin "PodSecurityPolicy" is unknown; the known ones are ${admissionPluginNames.join(', ')}`,
      );
  });

  test('refuses contradictions and wrong configurations', () => {
    expect(refusalOf({ enable: ['Priority'], disable: ['Priority'] })).toContain(
      'the admission plugin Priority is in both admission.enable and admission.disable',
    );
    expect(refusalOf({ enable: ['EventRateLimit'] })).toContain('set admission.eventRateLimit');
    expect(refusalOf({ enable: ['ImagePolicyWebhook'] })).toContain('set admission.imagePolicyWebhook');
    expect(refusalOf({ imagePolicyWebhook: {} })).toContain('admission.imagePolicyWebhook.post');
    expect(refusalOf({ resourceQuota: { limitedResources: [{ matchContains: ['cpu'] }] } })).toContain(
      'admission.resourceQuota.limitedResources[0].resource',
    );
    expect(refusalOf({ podTolerationRestriction: { default: [{ operator: 'Is' }] } })).toContain(
      'admission.podTolerationRestriction.default[0].operator',
    );
    expect(refusalOf({ podSecurity: { defaults: { enforce: 'strict' } } })).toContain(
      'admission.podSecurity.defaults.enforce',
    );
    expect(refusalOf({ podSecurity: { defaults: { enforceVersion: '1.2' } } })).toContain(
      'admission.podSecurity.defaults.enforceVersion must be "latest" or "v1.x", got "1.2"',
    );
    expect(refusalOf({ podNodeSelector: { clusterDefault: 'a' } })).toContain('admission.podNodeSelector');
    expect(refusalOf({ podSecurty: {} })).toContain('podSecurty');
  });

  test('switches plugins on and off', async () => {
    await using on = await PluginWorld.start({ enable: ['AlwaysDeny'] });
    expect((await on.send('POST', '/api/v1/namespaces', { metadata: { name: 'a' } })).text).toBe(
      '403 namespaces "a" is forbidden: admission control is denying all modifications',
    );
    await using off = await PluginWorld.start({ disable: ['NamespaceLifecycle'] });
    const created = await off.send('POST', '/api/v1/namespaces/none/configmaps', { metadata: { name: 'a' } });
    expect(created.text).toBe('201');
  });

  test('calls the plugins of users after the built-in ones, and before quotas', async () => {
    const seen: (string | undefined)[] = [];
    await using world = await PluginWorld.start(
      { enable: ['Priority'] },
      {
        admission: {
          plugins: [
            {
              name: 'Witness',
              operations: ['CREATE'],
              mutate: ({ object, info }) => {
                if (info.resource === 'pods')
                  seen.push(JSON.stringify((object?.['spec'] as { priority?: number }).priority));
              },
            },
          ],
        },
      },
    );
    await world.pod('a');
    expect(seen).toEqual(['0']);
    expect((await world.client.resource(PriorityClass).list()).items.map(({ metadata }) => metadata.name)).toEqual([
      'system-cluster-critical',
      'system-node-critical',
    ]);
  });
});

test('the plugins have the order of release 1.31', () => {
  expect(admissionPluginNames.join(' ')).toBe(
    [
      'AlwaysAdmit NamespaceAutoProvision NamespaceLifecycle NamespaceExists LimitPodHardAntiAffinityTopology LimitRanger',
      'ServiceAccount NodeRestriction TaintNodesByCondition AlwaysPullImages ImagePolicyWebhook PodSecurity',
      'PodNodeSelector Priority DefaultTolerationSeconds PodTolerationRestriction EventRateLimit',
      'ExtendedResourceToleration DefaultStorageClass StorageObjectInUseProtection OwnerReferencesPermissionEnforcement',
      'PersistentVolumeClaimResize RuntimeClass CertificateApproval CertificateSigning ClusterTrustBundleAttest',
      'CertificateSubjectRestriction DefaultIngressClass DenyServiceExternalIPs MutatingAdmissionWebhook',
      'ValidatingAdmissionPolicy ValidatingAdmissionWebhook ResourceQuota AlwaysDeny',
    ].join(' '),
  );
});

describe('the flags of the program', () => {
  const of = (enable: string[], disable: string[] = []) =>
    admissionOf({ 'enable-admission-plugins': enable, 'disable-admission-plugins': disable });

  test('run what Kubernetes runs by default', () => {
    expect(of([]).enable).toEqual(defaultAdmissionPlugins);
    expect(of(['AlwaysPullImages'], ['Priority', 'AlwaysAdmit']).enable).toEqual([
      ...defaultAdmissionPlugins.filter((name) => name !== 'Priority'),
      'AlwaysPullImages',
    ]);
    expect([...defaultAdmissionPlugins].sort().join(' ')).toBe(
      [
        'CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest',
        'DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds LimitRanger MutatingAdmissionWebhook',
        'NamespaceLifecycle PersistentVolumeClaimResize PodSecurity Priority ResourceQuota RuntimeClass ServiceAccount',
        'StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook',
      ].join(' '),
    );
  });

  test('fail as those of Kubernetes', () => {
    expect(() => of(['Nope'])).toThrow('enable-admission-plugins plugin "Nope" is unknown');
    expect(() => of([], ['Nope'])).toThrow('disable-admission-plugins plugin "Nope" is unknown');
    expect(() => of(['Priority', 'AlwaysDeny'], ['AlwaysDeny', 'Priority'])).toThrow(
      '[AlwaysDeny Priority] in enable-admission-plugins and disable-admission-plugins overlapped',
    );
  });
});
