/**
 * The secrets that a node needs to mount a persistent volume.
 *
 * @module
 */
import { isJsonObject, stringOrEmpty, type JsonObject } from '../../../foundation/index.js';
import type { ObjectReference } from './object-index.js';

/** A volume source and the location of its secret reference. */
interface SecretRow {
  readonly source: string;
  /** Field of the reference; absent when the source itself is the reference. */
  readonly reference?: string | undefined;
  readonly nameField?: string | undefined;
  readonly namespaceField?: string | undefined;
  /** Without a namespace, the reference is to the namespace of the claim. */
  readonly inClaimNamespace?: true | undefined;
}

/** Secrets for CSI controllers are left out on purpose: nodes do not need them. */
const SECRETS: readonly SecretRow[] = [
  { source: 'azureFile', nameField: 'secretName', namespaceField: 'secretNamespace', inClaimNamespace: true },
  { source: 'cephfs', reference: 'secretRef', inClaimNamespace: true },
  { source: 'cinder', reference: 'secretRef' },
  { source: 'flexVolume', reference: 'secretRef', inClaimNamespace: true },
  { source: 'rbd', reference: 'secretRef', inClaimNamespace: true },
  { source: 'scaleIO', reference: 'secretRef', inClaimNamespace: true },
  { source: 'iscsi', reference: 'secretRef', inClaimNamespace: true },
  { source: 'storageos', reference: 'secretRef' },
  { source: 'csi', reference: 'nodePublishSecretRef' },
  { source: 'csi', reference: 'nodeStageSecretRef' },
  { source: 'csi', reference: 'nodeExpandSecretRef' },
];

/**
 * Returns the secrets that nodes need for a volume.
 *
 * @param spec spec of the persistent volume
 * @param claimNamespace namespace of the bound claim
 */
export function volumeSecrets(spec: JsonObject, claimNamespace: string): ObjectReference[] {
  const secrets: ObjectReference[] = [];
  for (const { source, reference, nameField = 'name', namespaceField = 'namespace', inClaimNamespace } of SECRETS) {
    const volume = spec[source];
    if (!isJsonObject(volume)) continue;
    const secret = reference === undefined ? volume : volume[reference];
    if (!isJsonObject(secret)) continue;
    const name = stringOrEmpty(secret[nameField]);
    const namespace = stringOrEmpty(secret[namespaceField]) || (inClaimNamespace === true ? claimNamespace : '');
    if (name !== '' && namespace !== '') secrets.push({ resource: 'secrets', namespace, name });
  }
  return secrets;
}
