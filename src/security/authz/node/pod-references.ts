/**
 * The references of a pod: secrets, config maps, claims, and its service account.
 *
 * @module
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../foundation/index.js';
import type { ObjectKey, ObjectReference, RelatedResource } from './object-index.js';

/**
 * Describes where names are: the resource that a string names, or the fields to descend into. Every item of a list is
 * visited.
 */
type Shape = RelatedResource | readonly (readonly [field: string, shape: Shape])[];

const fields = (record: Readonly<Record<string, Shape>>): Shape => Object.entries(record);

const SECRET = fields({ name: 'secrets' });
const CONFIG_MAP = fields({ name: 'configmaps' });
const SECRET_REF = fields({ secretRef: SECRET });

const CONTAINERS = fields({
  env: fields({ valueFrom: fields({ secretKeyRef: SECRET, configMapKeyRef: CONFIG_MAP }) }),
  envFrom: fields({ secretRef: SECRET, configMapRef: CONFIG_MAP }),
});

const VOLUMES = fields({
  secret: fields({ secretName: 'secrets' }),
  configMap: CONFIG_MAP,
  projected: fields({ sources: fields({ secret: SECRET, configMap: CONFIG_MAP }) }),
  persistentVolumeClaim: fields({ claimName: 'persistentvolumeclaims' }),
  azureFile: fields({ secretName: 'secrets' }),
  cephfs: SECRET_REF,
  cinder: SECRET_REF,
  csi: fields({ nodePublishSecretRef: SECRET }),
  flexVolume: SECRET_REF,
  iscsi: SECRET_REF,
  rbd: SECRET_REF,
  scaleIO: SECRET_REF,
  storageos: SECRET_REF,
});

const POD_SPEC = fields({
  serviceAccountName: 'serviceaccounts',
  imagePullSecrets: SECRET,
  containers: CONTAINERS,
  initContainers: CONTAINERS,
  ephemeralContainers: CONTAINERS,
  volumes: VOLUMES,
  resourceClaims: fields({ resourceClaimName: 'resourceclaims' }),
});

type Found = (resource: RelatedResource, name: string) => unknown;

function collect(value: JsonValue | undefined, shape: Shape, found: Found): void {
  if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) collect(item, shape, found);
  else if (typeof shape === 'string') {
    if (typeof value === 'string' && value !== '') found(shape, value);
  } else if (isJsonObject(value)) for (const [field, inner] of shape) collect(value[field], inner, found);
}

function recordsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

/** The claim of an ephemeral volume is named after the pod and the volume. */
function collectEphemeralClaims(pod: string, spec: JsonObject, found: Found): void {
  for (const { name, ephemeral, persistentVolumeClaim } of recordsOf(spec['volumes'])) {
    if (typeof name === 'string' && isJsonObject(ephemeral) && !isJsonObject(persistentVolumeClaim))
      found('persistentvolumeclaims', `${pod}-${name}`);
  }
}

/** The names of claims from a template are only in the pod's status. */
function collectGeneratedClaims(spec: JsonObject, status: JsonValue | undefined, found: Found): void {
  const statuses = recordsOf(isJsonObject(status) ? status['resourceClaimStatuses'] : undefined);
  for (const { name, resourceClaimName, resourceClaimTemplateName } of recordsOf(spec['resourceClaims'])) {
    if (typeof resourceClaimName === 'string' || typeof resourceClaimTemplateName !== 'string') continue;
    const generated = statuses.find((candidate) => candidate['name'] === name)?.['resourceClaimName'];
    if (typeof generated === 'string' && generated !== '') found('resourceclaims', generated);
  }
}

/**
 * Returns the objects that a pod refers to, all in its namespace. Repeated references are repeated in the result.
 *
 * @param pod any JSON object; invalid references are ignored
 * @param key namespace and name of the pod
 */
export function podReferences(pod: JsonObject, { namespace, name }: ObjectKey): ObjectReference[] {
  const references: ObjectReference[] = [];
  const spec = pod['spec'];
  if (!isJsonObject(spec)) return references;
  const found: Found = (resource, referred) => references.push({ resource, namespace, name: referred });
  collect(spec, POD_SPEC, found);
  collectEphemeralClaims(name, spec, found);
  collectGeneratedClaims(spec, pod['status'], found);
  return references;
}
