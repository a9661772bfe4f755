/**
 * The kinds of objects that a pod refers to. A pod created by a node must refer to none.
 *
 * @module
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../foundation/index.js';

/** Fields from the pod's spec to a name. Every item of a list is visited. */
type Path = readonly string[];

const path = (dotted: string): Path => dotted.split('.');
const inContainers = (...dotted: readonly string[]): readonly Path[] =>
  ['containers', 'initContainers', 'ephemeralContainers'].flatMap((containers) =>
    dotted.map((fields) => path(`${containers}.${fields}`)),
  );
const inVolumes = (...dotted: readonly string[]): readonly Path[] => dotted.map((fields) => path(`volumes.${fields}`));

const SECRETS: readonly Path[] = [
  path('imagePullSecrets.name'),
  ...inContainers('env.valueFrom.secretKeyRef.name', 'envFrom.secretRef.name'),
  ...inVolumes(
    'secret.secretName',
    'projected.sources.secret.name',
    'csi.nodePublishSecretRef.name',
    'azureFile.secretName',
    'cephfs.secretRef.name',
    'cinder.secretRef.name',
    'flexVolume.secretRef.name',
    'iscsi.secretRef.name',
    'rbd.secretRef.name',
    'scaleIO.secretRef.name',
    'storageos.secretRef.name',
  ),
];

const CONFIG_MAPS: readonly Path[] = [
  ...inContainers('env.valueFrom.configMapKeyRef.name', 'envFrom.configMapRef.name'),
  ...inVolumes('configMap.name', 'projected.sources.configMap.name'),
];

/** A non-empty string counts as a name. */
const isName = (value: JsonValue): boolean => typeof value === 'string' && value !== '';
/** The field counts whatever its value is. */
const isPresent = (value: JsonValue): boolean => value !== null;

/** In the order of Kubernetes: the first match is named in the message. */
const REFERENCES: readonly {
  readonly what: string;
  readonly paths: readonly Path[];
  readonly counts: (value: JsonValue) => boolean;
}[] = [
  // `serviceAccount` is the deprecated name of the field.
  { what: 'a service account', paths: [path('serviceAccountName'), path('serviceAccount')], counts: isName },
  { what: 'secrets', paths: SECRETS, counts: isName },
  { what: 'configmaps', paths: CONFIG_MAPS, counts: isName },
  { what: 'clustertrustbundles', paths: inVolumes('projected.sources.clusterTrustBundle'), counts: isPresent },
  { what: 'persistentvolumeclaims', paths: inVolumes('persistentVolumeClaim'), counts: isPresent },
];

function reaches(value: JsonValue | undefined, fields: Path, counts: (value: JsonValue) => boolean): boolean {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).some((item) => reaches(item, fields, counts));
  const [field, ...rest] = fields;
  if (field === undefined) return value !== undefined && counts(value);
  return isJsonObject(value) && reaches(value[field], rest, counts);
}

/** Returns the first kind of reference in a pod, as messages name it; undefined when there is none. */
export function referredTo(spec: JsonObject): string | undefined {
  return REFERENCES.find(({ paths, counts }) => paths.some((fields) => reaches(spec, fields, counts)))?.what;
}
