/**
 * Service accounts of pods: each pod runs as one, and gets its token.
 *
 * @see release 1.31, plugin/pkg/admission/serviceaccount
 * @module
 */
import { errors, generateName, messageOf, type Dialect, type Entropy } from '../../../foundation/index.js';
import { Pod, type coreV1, type ServiceAccount } from '../../../kinds/index.js';
import {
  defineAdmissionPlugin,
  type AdmissionPlugin,
  type Incomplete,
  type ObjectOf,
} from '../../../registry/index.js';
import { admissionRefusal } from '../../refusal.js';
import { checkEphemeralSecrets, checkSecrets, referencesSecrets } from './mountable-secrets.js';

type Account = ObjectOf<typeof ServiceAccount>;
type Spec = Incomplete<coreV1.PodSpec>;
type Refusing = Parameters<typeof admissionRefusal>[0];

/** Returns an account; undefined when it does not exist. May wait for an account that is about to exist. */
export type AccountLookup = (namespace: string, name: string, signal?: AbortSignal) => Promise<Account | undefined>;

/** The account of pods that name none. */
export const DEFAULT_ACCOUNT = 'default';

const TOKEN_SECONDS = 3607;
const READABLE_BY_ALL = 0o644;

/** Lets every pod run as a service account, and gives it the token of the account. */
export function serviceAccount(dialect: Dialect, lookup: AccountLookup): AdmissionPlugin {
  const mirror = `${dialect.labelDomain}/config.mirror`;
  const isMirror = ({ annotations }: { annotations?: Record<string, string> | undefined }): boolean =>
    annotations?.[mirror] !== undefined;
  const find = async (attributes: Refusing & { namespace: string }, name: string, signal?: AbortSignal) => {
    const { namespace } = attributes;
    const fail = (error: unknown): never => {
      throw admissionRefusal(attributes, `error looking up service account ${namespace}/${name}: ${messageOf(error)}`);
    };
    const found = await lookup(namespace, name, signal).catch(fail);
    return found ?? fail(errors.notFound({ group: '', resource: 'serviceaccount' }, name));
  };
  return defineAdmissionPlugin({
    name: 'ServiceAccount',
    kinds: [Pod],
    operations: ['CREATE', 'UPDATE'],
    async mutate(attributes) {
      const { object, operation, subresource, context } = attributes;
      if (operation !== 'CREATE' || subresource !== '') return;
      const spec = (object.spec ??= {});
      if (isMirror(object.metadata)) {
        checkMirror(attributes, spec);
        return;
      }
      const name = spec.serviceAccountName || DEFAULT_ACCOUNT;
      spec.serviceAccountName = name;
      // The field that clients before version 1.1 read.
      spec.serviceAccount = name;
      const account = await find(attributes, name, context.signal);
      const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
      if (automount) mountToken(spec, dialect, context.entropy);
      if ((spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0)
        spec.imagePullSecrets = (account.imagePullSecrets ?? []).map((secret) => ({ ...secret }));
    },
    async validate(attributes) {
      const { object, operation, subresource, namespace, context } = attributes;
      const { metadata, spec } = object;
      if (spec === undefined) return;
      const addsEphemeral = operation === 'UPDATE' && subresource === 'ephemeralcontainers';
      if (!addsEphemeral && (operation !== 'CREATE' || subresource !== '')) return;
      if (isMirror(metadata)) {
        checkMirror(attributes, spec);
        return;
      }
      const { serviceAccountName: name = '' } = spec;
      if (name === '')
        throw admissionRefusal(attributes, `no service account specified for pod ${namespace}/${metadata.name ?? ''}`);
      const account = await find(attributes, name, context.signal);
      if (account.metadata.annotations?.[`${dialect.labelDomain}/enforce-mountable-secrets`] === undefined) return;
      if (!isTrue(account.metadata.annotations[`${dialect.labelDomain}/enforce-mountable-secrets`] ?? '')) return;
      const problem = addsEphemeral ? checkEphemeralSecrets(spec, account) : checkSecrets(spec, account);
      if (problem !== undefined) throw admissionRefusal(attributes, problem);
    },
  });
}

const isTrue = (text: string): boolean => ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text);

/** Refuses a mirror pod that needs the API: the node runs it before, and without, the API. */
function checkMirror(attributes: Refusing, spec: Spec): void {
  if ((spec.serviceAccountName ?? '') !== '')
    throw admissionRefusal(attributes, 'a mirror pod may not reference service accounts');
  if (referencesSecrets(spec)) throw admissionRefusal(attributes, 'a mirror pod may not reference secrets');
  const projections = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (projections.some(({ serviceAccountToken }) => serviceAccountToken !== undefined))
    throw admissionRefusal(attributes, 'a mirror pod may not use ServiceAccountToken volume projections');
}

/** Mounts the token of the account into every container that mounts nothing in its place. */
function mountToken(spec: Spec, { shortProduct, pod, rootCaConfigMap }: Dialect, entropy: Entropy): void {
  const prefix = `${shortProduct}-api-access-`;
  const given = spec.volumes?.find(({ name = '' }) => name.startsWith(prefix))?.name;
  const name = given ?? generateName(prefix, entropy);
  const mountPath = pod.serviceAccountFolder;
  let mounted = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some((mount) => mount.mountPath === mountPath)) continue;
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath }];
    mounted = true;
  }
  if (given !== undefined || !mounted) return;
  spec.volumes = [...(spec.volumes ?? []), { name, projected: tokenVolume(rootCaConfigMap) }];
}

const tokenVolume = (rootCaConfigMap: string): coreV1.ProjectedVolumeSource => ({
  sources: [
    { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
    { configMap: { name: rootCaConfigMap, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ],
  defaultMode: READABLE_BY_ALL,
});
